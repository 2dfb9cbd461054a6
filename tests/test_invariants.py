"""docs/invariants.md: each line names a test that is there, and every test of outages is on the page."""

from __future__ import annotations

import re
from pathlib import Path

from tests.test_engine_table import LINK, PROJECT, found_in

PAGE = (PROJECT / "docs" / "invariants.md").read_text()
LINES = [line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith(("| case", "| ---"))]


def test_each_line_names_a_test_that_is_there() -> None:
    proofs = [line.strip("| ").rpartition(" | ")[2] for line in LINES]
    named = [LINK.fullmatch(proof) for proof in proofs]
    assert [proof for proof, link in zip(proofs, named, strict=True) if link is None] == []
    assert [link[0] for link in named if link and (link[1] != link[3] or link[2] not in found_in(link[1]))] == []


def test_the_eight_invariants_are_there_each_with_tests() -> None:
    headings = re.findall(r"^### (\d)\. ", PAGE, re.MULTILINE)
    assert headings == [str(number) for number in range(1, 9)]
    assert all("\n| --- | --- |\n| " in section for section in re.split(r"^### ", PAGE, flags=re.MULTILINE)[1:])


def test_every_test_of_outages_is_on_the_page() -> None:
    paths = [*(PROJECT / "tests" / "outages").glob("test_*.py"), *_marked_outage()]
    tests = {
        f"{path.relative_to(PROJECT)}::{name}" for path in paths for name in found_in(str(path.relative_to(PROJECT)))
    }
    assert {name for name in tests if f"`{name}`" not in PAGE} == set()


def _marked_outage() -> list[Path]:
    folder = PROJECT / "tests" / "aitools"
    return [path for path in folder.glob("test_*.py") if "pytestmark = pytest.mark.outage" in path.read_text()]
