"""The URL root."""

from django.conf import settings
from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

from bakery import health, metrics
from bakery.api import api, webhooks
from orders.views import order_report

handler500 = "bakery.faults.on_fault"
urlpatterns = [
    path("", RedirectView.as_view(url="/chat/" if settings.DEMO else "/admin/")),
    path("admin/reports/orders/", admin.site.admin_view(order_report), name="order_report"),
    path("admin/", admin.site.urls),
    path("api/", api.urls),
    path("chat/", include("aitools.urls")),
    path("health/live", health.live),
    path("health/ready", health.ready),
    path("metrics", metrics.scrape),
    path("i18n/", include("django.conf.urls.i18n")),
    path("webhooks/", webhooks.urls),
]
