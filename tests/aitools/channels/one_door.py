"""Every path leads to Twilio's door: vectors of others were signed for paths of theirs."""

from django.urls import re_path

from aitools import api

urlpatterns = [re_path("", api.twilio_message)]
