"""A customer's file, fetched by our server when staff look at it and kept nowhere."""

from __future__ import annotations

import re
import threading

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import URLPattern, path
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe
from unfold.admin import ModelAdmin

from aitools import media
from aitools.admin.enclosed import keeper_of, why_unfetched
from aitools.admin.refusals import refusal
from aitools.channels.base import Fetched, Unfetched
from aitools.channels.filetypes import ending_of, ends_right
from aitools.models import InboundEvent
from aitools.storable import one_line

#: Pictures must not keep the threads that take webhooks.
AT_ONCE, PATIENCE_SECONDS = 4, 1.0
_turnstile = threading.BoundedSemaphore(AT_ONCE)

#: Types that a browser may show by itself; all others are saved as files.
SHOWN = frozenset({"image/jpeg", "image/png", "image/webp", "image/gif", "video/mp4"})
#: A page refreshes itself: what was fetched, or is surely gone, is not asked for again.
KEPT_SECONDS = {Unfetched.GONE: 3600, Unfetched.TOO_LARGE: 3600, Unfetched.NOT_ALLOWED: 3600, Unfetched.AWAY: 30}
FETCHED_SECONDS = 86_400
_STATUS = {Unfetched.AWAY: 502, Unfetched.REFUSED: 502}
_RANGE = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})")
_IN_NAMES = re.compile(r"[^\w .()+-]")


class FilePages(ModelAdmin):
    """Serves the files of a conversation to who may read it."""

    def get_urls(self) -> list[URLPattern]:
        # The answer says itself how long it may be kept, and by whom.
        view = self.admin_site.admin_view(require_safe(self.file_view), cacheable=True)
        mine = path("<int:pk>/file/<int:event>/<int:index>/", view, name="aitools_conversation_file")
        return [mine, *super().get_urls()]

    def file_view(self, request: HttpRequest, pk: int, event: int, index: int) -> HttpResponse:
        """The file of one entry of an event's media, or why there is none in one line."""
        row = self.get_object(request, str(pk))
        if row is None or not self.has_view_permission(request, row):
            raise Http404
        found = InboundEvent.objects.filter(pk=event, conversation=row).first()
        if found is None or index >= len(found.media):
            raise Http404
        answer = _respond(request, found, index)
        answer["X-Content-Type-Options"] = "nosniff"
        answer["Content-Security-Policy"] = "sandbox; default-src 'none'"
        return answer


def _respond(request: HttpRequest, event: InboundEvent, index: int) -> HttpResponse:
    if not _turnstile.acquire(timeout=PATIENCE_SECONDS):
        busy = _("Too many files are being fetched. Try again in a moment.")
        return refusal(request, busy, status=503, cache=_kept(0))
    try:
        fetched = _fetch(event, index)
    finally:
        _turnstile.release()
    if isinstance(fetched, Unfetched):
        cache = _kept(KEPT_SECONDS.get(fetched, 0))
        return refusal(request, why_unfetched(fetched), status=_STATUS.get(fetched, 404), cache=cache)
    return _file(request, fetched, _name(event, index, fetched.mime_type))


def _fetch(event: InboundEvent, index: int) -> Fetched | Unfetched:
    keeper = keeper_of(event)
    return keeper.fetch(event.media[index]) if keeper is not None else Unfetched.GONE


def _file(request: HttpRequest, fetched: Fetched, name: str) -> HttpResponse:
    shown = fetched.mime_type in SHOWN or fetched.mime_type.startswith("audio/")
    kind = f"{fetched.mime_type}; charset=utf-8" if fetched.mime_type.startswith("text/") else fetched.mime_type
    headers = {
        "Content-Disposition": content_disposition_header(not shown, name),
        "Accept-Ranges": "bytes",
        "Cache-Control": _kept(FETCHED_SECONDS),
    }
    part = _part_asked(request.headers.get("range", ""), len(fetched.content))
    if part is None:
        return HttpResponse(fetched.content, kind, headers=headers)
    headers["Content-Range"] = f"bytes {part.start}-{part.stop - 1}/{len(fetched.content)}"
    return HttpResponse(fetched.content[part.start : part.stop], kind, status=206, headers=headers)


def _part_asked(asked: str, length: int) -> range | None:
    """One part of the file: some browsers play nothing without. None for all of it."""
    found = _RANGE.fullmatch(asked)
    if found is None or not any(found.groups()):
        return None
    first, last = (int(number) if number else None for number in found.groups())
    if first is None:
        part = range(max(length - (last or 0), 0), length)
    else:
        part = range(first, length if last is None else min(last + 1, length))
    return part or None


def _kept(seconds: int) -> str:
    return f"private, max-age={seconds}" if seconds else "private, no-store"


def _name(event: InboundEvent, index: int, mime_type: str) -> str:
    """The customer's name for it without what a system could take for more, and with the ending of its real type."""
    given = _IN_NAMES.sub("_", one_line(str(event.media[index].get("filename") or "")))[:100].strip(" .")
    if ends_right(given, mime_type):
        return given
    return f"{given or f'{media.kind_of(event.media[index])}-{event.pk}'}{ending_of(mime_type)}"
