"""The migrations of ``aitools``, and the next one, which lies here."""

from aitools import migrations

__path__ = [*__path__, *migrations.__path__]
