"""The shop's services as tools. Importing this package registers them all."""

from orders.tools import changing, hours, menu, own, people, placing, quoting

__all__ = ["changing", "hours", "menu", "own", "people", "placing", "quoting"]
