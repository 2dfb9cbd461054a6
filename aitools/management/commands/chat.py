"""`manage.py chat`: talk to the desk in the terminal."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from aitools.commands import RESET
from aitools.consolechat import ConsoleChat, open_chat
from aitools.models import OutboundMessage, OutboundState, Step, ToolCall
from aitools.models.turns import UNSETTLED_CALL


class Command(BaseCommand):
    help = "Talk to the desk in the terminal, or pipe in one message per line. Needs no worker."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--as", dest="name", default="", help="your name, as a profile would give it")
        parser.add_argument("--language", default="", choices=[code for code, _name in settings.LANGUAGES])
        parser.add_argument("--address", default="console", help="whose conversation to go on with")
        parser.add_argument("--new", action="store_true", help="start a new conversation")
        parser.add_argument("--trace", action="store_true", help="show model steps and tool calls")

    def handle(self, **options: Any) -> None:
        chat = open_chat(options["address"], name=options["name"], language=options["language"])
        for text in self._lines(new=options["new"]):
            self._exchange(chat, text, trace=options["trace"])

    def _lines(self, *, new: bool) -> Iterator[str]:
        """What is typed or piped in, without empty lines, until the end."""
        if new:
            yield RESET
        while True:
            try:
                text = input("> " if sys.stdin.isatty() else "")
            except (EOFError, KeyboardInterrupt):
                return
            if not text.strip():
                continue
            if not sys.stdin.isatty():
                self.stdout.write(f"> {text}")
            yield text

    def _exchange(self, chat: ConsoleChat, text: str, *, trace: bool) -> None:
        try:
            for news in chat.say(text):
                if isinstance(news, OutboundMessage):
                    self._show(news)
                elif trace:
                    self._trace(news)
        except TimeoutError as error:
            self.stderr.write(self.style.ERROR(str(error)))

    def _show(self, message: OutboundMessage) -> None:
        if message.state == OutboundState.FAILED:
            self.stderr.write(self.style.ERROR(f"Not sent: {message.error}"))
        self.stdout.write(self.style.SUCCESS(message.text))
        self.stdout.write("")

    def _trace(self, news: Step | ToolCall) -> None:
        if isinstance(news, Step):
            model = f"{news.provider} {news.model}".strip()
            tokens = f"{news.input_tokens}+{news.output_tokens} tokens"
            line = f"  [step {news.index}] {model}: {news.stop}, {tokens}, {news.duration_ms} ms"
        else:
            line = _call_line(news)
        self.stdout.write(self.style.NOTICE(line))


def _call_line(call: ToolCall) -> str:
    arguments = json.dumps(call.arguments, ensure_ascii=False)
    if call.state in UNSETTLED_CALL:
        return f"  [{call.state}] {call.name} {arguments}"
    return f"  [{call.state}] {call.name} {arguments}, {call.duration_ms or 0} ms\n    = {call.result}"
