"""Under the results: how many recorded answers of each vendor came out as expected."""

from __future__ import annotations

from collections import Counter

from _pytest.terminal import TerminalReporter

PROPERTY = "recording of"


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    counted = {outcome: _by_vendor(terminalreporter, outcome) for outcome in ("passed", "failed")}
    vendors = sorted(counted["passed"] | counted["failed"])
    if vendors:
        terminalreporter.section("recorded answers that came out as expected, of all")
    for vendor in vendors:
        passed, failed = (counted[outcome][vendor] for outcome in ("passed", "failed"))
        terminalreporter.write_line(f"{passed:6} of {passed + failed:3}  {vendor}")


def _by_vendor(terminalreporter: TerminalReporter, outcome: str) -> Counter[str]:
    reports = terminalreporter.stats.get(outcome, [])
    told = (report.user_properties for report in reports if getattr(report, "when", "") == "call")
    return Counter(str(value) for properties in told for name, value in properties if name == PROPERTY)
