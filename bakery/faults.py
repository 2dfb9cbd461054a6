"""The page for a fault of ours: that of a database which is away says so, and to come again."""

import sys

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.views.defaults import server_error

_AGAIN = {"Retry-After": "5"}


def on_fault(request: HttpRequest) -> HttpResponse:
    """Django's handler500: 503 while the database is away or full, else the bare 500. Asks no database."""
    if not isinstance(sys.exc_info()[1], OperationalError | InterfaceError):
        return server_error(request)
    text = _("The desk's database does not answer. Try again in a moment.")
    if "text/html" not in request.headers.get("Accept", ""):
        return JsonResponse({"error": text}, status=503, headers=_AGAIN)
    # Without the request: the context of a page would ask who is signed in.
    return HttpResponse(render_to_string("503.html", {"text": text}), status=503, headers=_AGAIN)
