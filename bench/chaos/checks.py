"""The judge: shares no code with the product, reads its rows and believes the crowd.

Each check gives one line for every violation; all of them must give none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from bench.chaos import checks_orders, checks_rows, checks_talk
from bench.chaos.journal import Journal
from bench.chaos.rows import Rows
from bench.chaos.wares import Wares

Check = Callable[[Rows, Journal], Iterator[str]]


def checks(wares: Wares) -> Mapping[str, Check]:
    """All checks by their title in the table."""
    return {
        "lost messages": checks_talk.lost_messages,
        "customers without an answer": checks_talk.unanswered,
        "messages stored twice": checks_talk.read_twice,
        "replies sent twice without the mark": checks_talk.sent_twice,
        "replies queued twice": checks_talk.said_twice,
        "messages that only one side knows": checks_talk.unknown_to_the_desk,
        "replies out of order": checks_talk.out_of_order,
        "doubled orders": partial(checks_orders.doubled, wares=wares),
        "orders without a yes to exactly that": partial(checks_orders.without_a_yes, wares=wares),
        "yeses that came to nothing": partial(checks_orders.missing, wares=wares),
        "effects the customer never heard of": partial(checks_orders.untold, wares=wares),
        "orders that are not what was agreed": partial(checks_orders.wrong_content, wares=wares),
        "wrong totals": partial(checks_orders.wrong_totals, wares=wares),
        "wrong stock": partial(checks_orders.wrong_stock, wares=wares),
        "stuck rows": checks_rows.stuck,
        "statuses not applied": checks_rows.statuses_left,
        "faults of the audit": checks_rows.audit_faults,
    }


def judge(rows: Rows, journal: Journal, wares: Wares) -> dict[str, list[str]]:
    """The violations of each check."""
    return {title: list(check(rows, journal)) for title, check in checks(wares).items()}
