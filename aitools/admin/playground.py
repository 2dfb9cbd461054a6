"""Talking to the bot as a customer would, without a customer: nothing is stored but the talk, in the session."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods
from unfold.admin import ModelAdmin

from aitools import behaviour, playground, texts, trials
from aitools.admin import trials as shown
from aitools.admin.faults import Explained, explained
from aitools.models import BotProfile
from aitools.playground import Chat, Exchange, Line, Who

KEPT = "playground"
_URL = "admin:aitools_playground"


@dataclass(frozen=True, slots=True)
class Told:
    """An exchange for the page. ``bubbles`` are (kind, who, text)."""

    bubbles: list[tuple[str, str, str]]
    cards: list[shown.Card]
    sums: shown.Sums
    fault: Explained | None


class PlaygroundPages(ModelAdmin):
    """Adds ``playground/`` for whoever may change profiles."""

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(require_http_methods(["GET", "HEAD", "POST"])(self.playground_view))
        return [path("playground/", view, name="aitools_playground"), *super().get_urls()]

    def playground_view(self, request: HttpRequest) -> HttpResponse:
        """The talk so far; by POST what is said next, or a new talk."""
        if not shown.may_try(request):
            raise PermissionDenied
        if request.method == "POST":
            try:
                _act(request)
            except trials.Busy:
                return self._page(request, str(shown.BUSY), 503)
            except LookupError:
                # Nothing is wrong with the desk: no status that is logged as an error.
                return self._page(request, _("The profile or the model of this talk is gone. Start anew."), 409)
            return HttpResponseRedirect(f"{reverse(_URL)}#end")
        return self._page(request)

    def _page(self, request: HttpRequest, problem: str = "", status: int = 200) -> HttpResponse:
        chat = _kept(request)
        values = {"title": _("Playground"), "opts": self.opts, "problem": problem} | _start_values(chat)
        values |= _talk_values(chat) if chat else {}
        context = self.admin_site.each_context(request) | values
        return TemplateResponse(request, "admin/aitools/trial/playground.html", context, status=status)


def _act(request: HttpRequest) -> None:
    """Do what was asked for. ``Busy`` while others try, ``LookupError`` when profile or model are gone."""
    if "start" in request.POST:
        request.session[KEPT] = playground.to_json(_started(request.POST))
        return
    chat, text = _kept(request) or _started(QueryDict()), _text(request.POST)
    if not text:
        return
    with trials.one_of_few():
        playground.say(chat, text)
    request.session[KEPT] = playground.to_json(chat)


def _text(given: QueryDict) -> str:
    return given.get("text", "").strip()[: playground.LONGEST_TEXT]


def _started(given: QueryDict) -> Chat:
    number, language = given.get("profile", ""), given.get("language", "")
    known = language in dict(settings.LANGUAGES)
    return Chat(
        int(number) if number.isdecimal() and len(number) < 19 else None,
        given.get("endpoint", ""),
        language if known else behaviour.profile().language,
    )


def _kept(request: HttpRequest) -> Chat | None:
    return playground.from_json(request.session.get(KEPT))


def _start_values(chat: Chat | None) -> dict[str, Any]:
    profile = behaviour.profile()
    return {
        "profiles": [(str(row.pk), str(row)) for row in BotProfile.objects.all()],
        "profile": str(chat.profile_id or "") if chat else str(profile.pk or ""),
        "endpoints": shown.choices(profile),
        "endpoint": chat.endpoint if chat else "",
        "languages": settings.LANGUAGES,
        "language": chat.language if chat else profile.language,
    }


def _talk_values(chat: Chat) -> dict[str, Any]:
    return {
        "exchanges": [_told(one) for one in chat.exchanges],
        "waiting": chat.waiting is not None,
        **_buttons(chat.language),
        "full": chat.is_full,
        "longest": playground.LONGEST_TEXT,
    }


def _buttons(language: str) -> dict[str, str]:
    """In the talk's language, which is not the reader's."""
    with translation.override(language):
        return {"yes": texts.yes(), "no": texts.no()}


def _told(one: Exchange) -> Told:
    fault = explained(*one.fault) if one.fault else None
    return Told(list(_bubbles(one.lines)), shown.cards(one.steps), shown.sums(one.steps), fault)


def _bubbles(lines: list[Line]) -> Iterator[tuple[str, str, str]]:
    names = {Who.CUSTOMER: _("Customer"), Who.DESK: _("Desk"), Who.QUESTION: _("The desk asks")}
    for line in lines:
        yield "customer" if line.who == Who.CUSTOMER else "bot", names[line.who], line.text
