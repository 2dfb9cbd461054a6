"""Menus as ``menu/1`` files: read, check as a whole, and become that menu."""

from orders.menu_files.loading import load
from orders.menu_files.reading import MenuFileError, parse, read
from orders.menu_files.schema import MenuFile
from orders.menu_files.syncing import Counts

__all__ = ["Counts", "MenuFile", "MenuFileError", "load", "parse", "read"]
