"""The wall-clock limit, under the name that channels know."""

from aitools.wallclock import within

__all__ = ["within"]
