"""Is exactly that ordered to which the customers said yes, at the prices on the wall?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bench.chaos import reading
from bench.chaos.journal import Journal
from bench.chaos.reading import CANCEL, CHANGE, PLACE, Question
from bench.chaos.rows import Row, Rows, grouped
from bench.chaos.wares import Wares

KIND_OF_TOOL = {"create_order": PLACE, "update_order": CHANGE, "cancel_order": CANCEL}
TOLD = {PLACE: "Tu pedido es el {}", CHANGE: "{} quedó cambiado", CANCEL: "{} quedó cancelado"}


@dataclass
class Effect:
    """A question that was approved and whose call is done, with what the customer had read."""

    row: Row
    address: str
    asked: Question | None


def effects(rows: Rows, journal: Journal) -> list[Effect]:
    """In the order in which they were settled."""
    texts = {heard.key: heard.text for chat in journal.chats.values() for heard in chat.heard}
    done = [row for row in rows.questions if row.state == "approved" and rows.call[row.call_id].state == "done"]
    return [
        Effect(row, rows.address[row.conversation_id], reading.question(texts.get(row.key, "")))
        for row in sorted(done, key=lambda one: one.settled_at)
    ]


def without_a_yes(rows: Rows, journal: Journal, wares: Wares) -> Iterator[str]:
    """Effects to whose exact content nobody said yes so often, and orders of a call that nobody approved."""
    texts = {heard.key: heard.text for chat in journal.chats.values() for heard in chat.heard}
    agreed: Counter[tuple[str, object]] = Counter()
    for chat, said in journal.agreed():
        question = reading.question(texts[said.agrees_to])
        agreed[chat.address, question.content if question else None] += 1
    used = Counter((one.address, one.asked.content if one.asked else "never read") for one in effects(rows, journal))
    yield from (f"{address}: {content}" for (address, content), n in used.items() if n > agreed[address, content])
    done = {one.row.call_id for one in effects(rows, journal)}
    yield from (f"order {row.number}: no approved and done call" for row in rows.orders if row.tool_call_id not in done)


def doubled(rows: Rows, journal: Journal, wares: Wares) -> Iterator[str]:
    """More orders than approved calls to place one."""
    for call, orders in rows.order_of_call.items():
        if len(orders) > 1:
            yield f"call {call}: {len(orders)} orders"
    placed = Counter(one.row.conversation_id for one in effects(rows, journal) if one.asked and one.asked.kind == PLACE)
    made = Counter(rows.call[row.tool_call_id].conversation_id for row in rows.orders if row.tool_call_id in rows.call)
    yield from (f"{rows.address[one]}: {n} orders, {placed[one]} yes" for one, n in made.items() if n > placed[one])


def missing(rows: Rows, journal: Journal, wares: Wares) -> Iterator[str]:
    """A plain, timely yes to the newest question that came to nothing."""
    by_key = {row.key: row for row in rows.questions}
    stored = {row.provider_id: row for row in rows.inbound}
    texts = grouped([row for row in rows.inbound if row.seq is not None], "conversation_id")
    yeses = {said.sid for _, said in journal.agreed()}
    for chat, said in journal.agreed():
        row, event = by_key.get(said.agrees_to), stored.get(said.sid)
        if row is None or event is None or not _is_plain(row, event, texts[row.conversation_id], yeses, rows):
            continue
        if row.state in ("declined", "replied", "expired", "pending"):
            yield f"{chat.address} {said.sid}: the question ended as {row.state}"
        elif row.state == "approved" and rows.call[row.call_id].state != "done" and not _is_told(rows, event):
            yield f"{chat.address} {said.sid}: the call is {rows.call[row.call_id].state}"
        elif row.state == "cancelled" and not _is_told(rows, event):
            yield f"{chat.address} {said.sid}: cancelled without a word"
    for call in rows.calls:
        if call.name == "create_order" and call.state == "done" and not rows.order_of_call[call.id]:
            yield f"{rows.address[call.conversation_id]}: call {call.id} is done without an order"


def _is_plain(row: Row, event: Row, talk: list[Row], yeses: set[str], rows: Rows) -> bool:
    """In time, with nothing but yeses around it, and nothing of ours in between.

    What came before the question was sent but after it was stored is unread too: one burst with the answer.
    """
    if row.asked_at is None or not row.asked_at <= event.received_at <= row.expires_at:
        return False
    first = min(one.seq for one in talk if one.received_at >= row.stored_at)
    until = max(row.answered_seq or 0, event.seq)
    around = [one for one in talk if first <= one.seq <= until]
    newer = [one for one in rows.sent_to[row.conversation_id] if one.id > row.message_id]
    buried = any(one.created_at <= (row.settled_at or event.received_at) for one in newer)
    return all(one.provider_id in yeses for one in around) and not buried


def _is_told(rows: Rows, event: Row) -> bool:
    later = rows.sent_to[event.conversation_id]
    return any(row.created_at >= event.received_at and row.state in ("sent", "failed") for row in later)


def untold(rows: Rows, journal: Journal, wares: Wares) -> Iterator[str]:
    """Something was done and the customer never heard so, nor is a message to them marked as failed."""
    numbers = {row.tool_call_id: row.number for row in rows.orders}
    for one in effects(rows, journal):
        kind = KIND_OF_TOOL[rows.call[one.row.call_id].name]
        number = numbers.get(one.row.call_id) or (one.asked.number if one.asked else "")
        told = any(TOLD[kind].format(number) in heard.text for heard in journal.chats[one.address].heard)
        failed = any(row.state == "failed" for row in rows.sent_to[one.row.conversation_id])
        if not told and not failed:
            yield f"{one.address}: {kind} {number}"


def wrong_content(rows: Rows, journal: Journal, wares: Wares) -> Iterator[str]:
    """An order that is not what the last yes made it: lines, state, or how often it was changed."""
    happened = {(row.order_id, row.what): row.times for row in rows.order_events}
    for number, order, history in _histories(rows, journal):
        wanted = [one.asked for one in history if one.asked and one.asked.kind != CANCEL]
        cancelled = any(one.asked and one.asked.kind == CANCEL for one in history)
        basket = {row.name: row.quantity for row in rows.lines_of[order.id]}
        if not wanted or basket != dict(wanted[-1].basket) or (order.state == "cancelled") != cancelled:
            yield f"order {number}: {basket}, {order.state}"
        told = (1, len(wanted) - 1, int(cancelled))
        if told != tuple(happened.get((order.id, what), 0) for what in ("placed", "changed", "cancelled")):
            yield f"order {number}: events {told} expected"


def _histories(rows: Rows, journal: Journal) -> Iterator[tuple[str, Row, list[Effect]]]:
    """Each order with the effects on it: the one that placed it, then those that name its number."""
    done = effects(rows, journal)
    by_call = {one.row.call_id: one for one in done}
    named: defaultdict[tuple[str, str], list[Effect]] = defaultdict(list)
    for one in done:
        if one.asked and one.asked.number:
            named[one.address, one.asked.number].append(one)
    for order in rows.orders:
        placed = by_call.get(order.tool_call_id)
        if placed is not None:
            yield order.number, order, [placed, *named[placed.address, order.number]]


def wrong_totals(rows: Rows, journal: Journal, wares: Wares) -> Iterator[str]:
    """Stored or asked amounts that the menu's prices do not give."""
    for order in rows.orders:
        lines = rows.lines_of[order.id]
        total = wares.total({row.name: row.quantity for row in lines})
        if order.total != total or any(row.line_total != row.quantity * wares.prices[row.name] for row in lines):
            yield f"order {order.number}: {order.total}, not {total}"
    for chat in journal.chats.values():
        for heard in chat.heard:
            asked = reading.question(heard.text)
            if asked and (asked.total != wares.total(asked.basket) or asked.amounts != _amounts(wares, asked.basket)):
                yield f"{chat.address}: asked for {asked.total}"


def _amounts(wares: Wares, basket: Mapping[str, int]) -> dict[str, int]:
    return {name: wares.total({name: quantity}) for name, quantity in basket.items()}


def wrong_stock(rows: Rows, journal: Journal, wares: Wares) -> Iterator[str]:
    """What a day's stock says was taken, but open orders do not."""
    open_orders = {row.id for row in rows.orders if row.state != "cancelled"}
    wanted: Counter[str] = Counter()
    for row in rows.lines:
        wanted[row.name] += row.quantity if row.order_id in open_orders else 0
    yield from (
        f"{row.name}: {row.taken}, not {wanted[row.name]}" for row in rows.stock if row.taken != wanted[row.name]
    )
