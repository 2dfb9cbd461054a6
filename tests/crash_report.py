"""Under the results of ``make crash``: how many points each scene has, and how many there are in all."""

from __future__ import annotations

from _pytest.terminal import TerminalReporter


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    """What the tests recorded as "points"; a failed one has told only what it reached."""
    reports = [report for name in ("passed", "failed") for report in terminalreporter.stats.get(name, [])]
    told = [
        (int(value), report.nodeid) for report in reports for name, value in report.user_properties if name == "points"
    ]
    terminalreporter.section("points at which something was struck down, one at a time")
    for points, test in sorted(told, reverse=True):
        terminalreporter.write_line(f"{points:6}  {test}")
    terminalreporter.write_line(f"{sum(points for points, _ in told):6}  in all")
