"""Columns that several pages share: stored words as people say them."""

from __future__ import annotations

import json
from typing import Any

from django.conf import settings
from django.utils.translation import gettext_lazy
from unfold.decorators import display

from aitools.channels.names import channel_title


class Tones(dict[str, str]):
    """The colours of labels, by state. One without is plain; Unfold would show its bare key instead of words."""

    def __missing__(self, state: str) -> str:
        return ""


class ChannelColumn:
    """Adds ``by_channel`` to admins and inlines whose rows have a ``channel``."""

    @display(description=gettext_lazy("channel"))
    def by_channel(self, row: Any) -> str:
        return channel_title(row.channel)


class LanguageColumn:
    """Adds ``in_language`` to admins whose rows have a ``language``."""

    @display(description=gettext_lazy("language"))
    def in_language(self, row: Any) -> str:
        return str(dict(settings.LANGUAGES).get(row.language, row.language))


class CallColumns:
    """Adds ``tool``, ``call_id`` and ``arguments`` to admins whose rows read them from a tool call."""

    @display(description=gettext_lazy("tool"))
    def tool(self, row: Any) -> str:
        return str(row.tool)

    @display(description=gettext_lazy("call id"))
    def call_id(self, row: Any) -> str:
        return str(row.call_id)

    @display(description=gettext_lazy("arguments"))
    def arguments(self, row: Any) -> str:
        return json.dumps(row.arguments, ensure_ascii=False) if row.arguments is not None else ""
