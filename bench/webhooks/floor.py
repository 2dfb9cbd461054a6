"""The floor: a bare django-ninja endpoint that verifies, inserts one row and publishes one task.

No conversation, no numbering, no repeats told apart, no middleware: what it
leaves out is what the desk's webhook costs.  Served by the same gunicorn with
the same threads.
"""

# ruff: noqa: DJ008 - nobody looks at these rows
from __future__ import annotations

import hashlib
import hmac
import json
import os
from typing import ClassVar

from celery import Celery
from django.core.wsgi import get_wsgi_application
from django.db import models
from django.http import HttpRequest, HttpResponse
from django.urls import path
from ninja import NinjaAPI
from twilio.request_validator import RequestValidator

application = get_wsgi_application()
celery = Celery("floor", broker=os.environ["REDIS_URL"])
celery.conf.broker_transport_options = {"global_keyprefix": os.environ["REDIS_PREFIX"]}
validator = RequestValidator(os.environ["TWILIO_AUTH_TOKEN"])
api = NinjaAPI(docs_url=None, openapi_url=None)


class Webhook(models.Model):
    provider_id = models.TextField()
    body = models.JSONField()
    received_at = models.DateTimeField(auto_now_add=True)
    objects: ClassVar[models.Manager[Webhook]] = models.Manager()

    class Meta:
        app_label = "bench"
        db_table = "bench_webhook"


@api.post("/whatsapp")
def whatsapp(request: HttpRequest) -> HttpResponse:
    key = os.environ["WHATSAPP_APP_SECRET"].encode()
    wanted = "sha256=" + hmac.new(key, request.body, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(wanted, request.headers["X-Hub-Signature-256"]):
        return HttpResponse(status=403)
    body = json.loads(request.body)
    message = body["entry"][0]["changes"][0]["value"]["messages"][0]
    row = Webhook.objects.create(provider_id=message["id"], body=body)
    celery.send_task("advance", args=[row.pk], retry=False, ignore_result=True)
    return HttpResponse(content_type="text/plain")


@api.post("/twilio")
def twilio(request: HttpRequest) -> HttpResponse:
    url = os.environ["PUBLIC_URL"] + request.path
    if not validator.validate(url, request.POST, request.headers["X-Twilio-Signature"]):
        return HttpResponse(status=403)
    row = Webhook.objects.create(provider_id=request.POST["MessageSid"], body=request.POST.dict())
    celery.send_task("advance", args=[row.pk], retry=False, ignore_result=True)
    return HttpResponse("<Response/>", content_type="text/xml")


urlpatterns = [path("webhooks/", api.urls)]
