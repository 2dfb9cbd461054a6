"""A limit on wall-clock time for a blocking call.

Socket timeouts count per read: a server that drips one byte a second keeps a
caller for hours.  The call runs in a thread of its own and is left behind when
its time is up; it must therefore touch no database connection.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

Result = TypeVar("Result")


def within(seconds: float, call: Callable[[], Result]) -> Result:
    """What ``call`` returns or raises; ``TimeoutError`` after ``seconds``."""
    future: Future[Result] = Future()
    threading.Thread(target=_settle, args=(future, call), daemon=True).start()
    return future.result(timeout=seconds)


def _settle(future: Future[Result], call: Callable[[], Result]) -> None:
    try:
        future.set_result(call())
    except BaseException as error:  # noqa: BLE001  # the waiting thread judges it
        future.set_exception(error)
