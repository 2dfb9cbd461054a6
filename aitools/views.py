"""The chat page: one page, and one address that takes messages and gives the conversation."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from functools import wraps

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import RequestDataTooBig
from django.core.serializers.json import DjangoJSONEncoder
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import render
from django.utils.cache import get_conditional_response
from django.utils.module_loading import import_string
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_GET, require_http_methods

from aitools import chatlog, commands, inbox, metrics
from aitools.channels import web
from aitools.errors import SignatureError

NAME_KEY = "chat_name"

View = Callable[[HttpRequest], HttpResponseBase]


def is_open_to(request: HttpRequest) -> bool:
    """The page is for staff; for everybody only while developing or in the demo."""
    return bool(settings.DEBUG or settings.DEMO or (request.user.is_active and request.user.is_staff))


def visitors_only(view: View) -> View:
    """Send strangers to sign in; a script of theirs gets 404."""

    @wraps(view)
    def guarded(request: HttpRequest) -> HttpResponseBase:
        if is_open_to(request):
            return view(request)
        if request.method == "GET" and request.accepts("text/html"):
            return redirect_to_login(request.get_full_path())
        return JsonResponse({"error": _("Please sign in again.")}, status=404)

    return guarded


@require_GET
@ensure_csrf_cookie
@never_cache
@visitors_only
def page(request: HttpRequest) -> HttpResponse:
    """The page itself; opening it gives the visitor an address."""
    web.address_of(request)
    context = {
        "shop_name": _shop_name(),
        "visitor_name": request.session.get(NAME_KEY, ""),
        "name_limit": web.NAME_LIMIT,
        "reset_command": commands.RESET,
        "other_languages": [code for code, _name in settings.LANGUAGES if code != get_language()],
    }
    return render(request, "chat/page.html", context)


@require_http_methods(["GET", "POST"])
@visitors_only
def messages(request: HttpRequest) -> HttpResponseBase:
    """GET: the conversation, 304 while nothing changed. POST: one message, 202 once stored."""
    try:
        web.WebChannel().verify(request)
    except SignatureError:
        return JsonResponse({"error": _("Please reload the page.")}, status=403)
    return _take(request) if request.method == "POST" else _show(request)


def _take(request: HttpRequest) -> HttpResponse:
    try:
        posted = web.read(request.body)
    except web.PostedError as error:
        return JsonResponse({"error": str(error)}, status=422)
    except RequestDataTooBig:
        return JsonResponse({"error": _("That is too long.")}, status=413)
    if request.session.get(NAME_KEY, "") != posted.name:
        request.session[NAME_KEY] = posted.name
    named = posted.model_copy(update={"name": posted.name or _("Guest"), "language": get_language() or ""})
    stored = inbox.receive([web.event_of(named, web.address_of(request))])
    metrics.webhook("web", "stored" if stored else "nothing new")
    return JsonResponse({}, status=202)


def _show(request: HttpRequest) -> HttpResponse:
    """Compared by content: ticks and buttons of old messages change too."""
    body = json.dumps(chatlog.of_visitor(web.address_of(request)), cls=DjangoJSONEncoder).encode()
    etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    response = HttpResponse(body, content_type="application/json", headers={"ETag": etag, "Cache-Control": "no-cache"})
    return get_conditional_response(request, etag=etag, response=response) or response


def _shop_name() -> str:
    """From the callable that ``AITOOLS_SHOP_NAME`` names: the engine knows no shop."""
    return str(import_string(settings.AITOOLS_SHOP_NAME)())
