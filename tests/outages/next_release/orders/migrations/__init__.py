"""The migrations of ``orders``, and the next one, which lies here."""

from orders import migrations

__path__ = [*__path__, *migrations.__path__]
