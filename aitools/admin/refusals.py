"""Why a file can't be shown: as a line of text, or as a picture where the page wants a picture."""

from __future__ import annotations

from textwrap import wrap

from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html, format_html_join

_WIDTH, _LINE, _MARGIN, _CHARACTERS = 280, 20, 14, 36


def refusal(request: HttpRequest, reason: str, *, status: int, cache: str) -> HttpResponse:
    """The reason, with this status and ``Cache-Control``.

    An ``<img>`` shows pictures whatever their status, and nothing of a text but a
    broken icon; browsers say what they want the answer for.
    """
    headers = {"Cache-Control": cache, "Vary": "Sec-Fetch-Dest"}
    if request.headers.get("sec-fetch-dest") == "image":
        return HttpResponse(_drawn(reason), "image/svg+xml", status=status, headers=headers)
    return HttpResponse(reason, "text/plain", status=status, headers=headers)


def _drawn(reason: str) -> str:
    """The words on a plain ground, to be read on light and dark pages. No styles: the answer's CSP allows none."""
    lines = wrap(reason, _CHARACTERS)
    height = 2 * _MARGIN + len(lines) * _LINE
    spans = ((_MARGIN, _MARGIN + _LINE * (at + 0.7), line) for at, line in enumerate(lines))
    return format_html(
        '<svg xmlns="http://www.w3.org/2000/svg" width="{}" height="{}">'
        '<rect width="100%" height="100%" fill="#f3f4f6"/>'
        '<text font-family="sans-serif" font-size="14" fill="#374151">{}</text></svg>',
        _WIDTH,
        height,
        format_html_join("", '<tspan x="{}" y="{}">{}</tspan>', spans),
    )
