"""What the next release's migrations come after."""

from importlib import import_module
from pathlib import Path


def newest(app: str) -> str:
    """The name of the app's newest migration today."""
    (folder,) = import_module(f"{app}.migrations").__path__
    return max(path.stem for path in Path(folder).glob("0*.py"))
