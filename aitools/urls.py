"""The chat page, under /chat/."""

from django.urls import path

from aitools import views

app_name = "chat"
urlpatterns = [
    path("", views.page, name="page"),
    path("messages", views.messages, name="messages"),
]
