"""Files of customers, as the fake vendors keep them and give them."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler

JPEG = b"\xff\xd8\xff\xe0\x00\x10JFIF\x00" + b"\x00" * 64
PNG = b"\x89PNG\r\n\x1a\n" + b"\x00" * 64
OGG = b"OggS\x00\x02" + (48_000 * 3).to_bytes(8, "little") + b"\x00" * 32
PDF = b"%PDF-1.7\n" + b"%" * 64
HTML = b"<!DOCTYPE html><script>alert(1)</script>"


@dataclass
class File:
    """One file. ``redirect`` sends there instead; ``status`` refuses; ``late`` answers 404 so many times first.

    Without ``length`` the body ends with the connection; ``drip`` sends a byte each 50 ms.
    """

    content: bytes = JPEG
    mime_type: str = "image/jpeg"
    status: int = 200
    redirect: str = ""
    length: bool = True
    drip: bool = False
    late: int = 0
    encoding: str = ""


@dataclass
class Shelf:
    """Files by path. ``asked`` are the paths that were asked for, each with its Authorization header, "" for none."""

    files: dict[str, File] = field(default_factory=dict)
    asked: list[tuple[str, str]] = field(default_factory=list)

    def take(self, path: str, authorization: str | None) -> File | None:
        """The file of a request, None when it is not of a file."""
        file = self.files.get(path)
        if file is None:
            return None
        self.asked.append((path, authorization or ""))
        if file.late:
            file.late -= 1
            return File(status=404)
        return file


def give(handler: BaseHTTPRequestHandler, file: File, closing: threading.Event) -> None:
    """Answer a request with a file."""
    body = file.content if file.status == 200 else b"{}"
    handler.send_response(307 if file.redirect else file.status)
    if file.redirect:
        handler.send_header("Location", file.redirect)
        body = b""
    handler.send_header("Content-Type", file.mime_type)
    if file.encoding:
        handler.send_header("Content-Encoding", file.encoding)
    if file.length:
        handler.send_header("Content-Length", str(len(body)))
    else:
        handler.send_header("Connection", "close")
        handler.close_connection = True
    handler.end_headers()
    _write(handler, body, closing if file.drip else None)


def _write(handler: BaseHTTPRequestHandler, body: bytes, dripping: threading.Event | None) -> None:
    """All at once, or byte by byte; a client that has enough hangs up."""
    try:
        for part in [body[at : at + 1] for at in range(len(body))] if dripping else [body]:
            if dripping and dripping.wait(0.05):
                break
            handler.wfile.write(part)
            handler.wfile.flush()
    except OSError:
        handler.close_connection = True
