"""The rules of ``cases/utterances.md``: was that right, a question, or wrong?"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from aitools.answers import Answer
from bench.utterance_run import Line, Run
from orders.catalogue import current
from orders.offline import texts
from orders.pricing import show

Case = dict[str, Any]
Verdict = tuple[str, str]

ORDERING = ("order_add", "order_modify", "ask_total")
TO_A_PERSON = ("human", "complaint", "payment_proof", "ask_invoice", "privacy_delete")
ONLY_WORDS = ("greeting", "thanks", "off_topic", "attack", "privacy_probe", "opt_out")


def judge(case: Case, run: Run) -> Verdict:
    """The verdict and why."""
    if not run.text.strip():
        return "wrong", "said nothing"
    if "gate" in case:
        return _gate(case, run)
    if "expected_items" in case:
        return _order(case, run)
    intent = case["intent"]
    if intent in TO_A_PERSON:
        return ("right", "") if _called(run, "talk_to_person") else ("wrong", "no person was called")
    if intent in ONLY_WORDS:
        return ("right", "") if not run.calls else ("wrong", "it did something")
    return _QUESTIONS[intent](case, run)


def _called(run: Run, name: str) -> bool:
    return any(called == name for called, _ in run.calls)


def _gate(case: Case, run: Run) -> Verdict:
    """Yes and no are the engine's; other answers go round by the provider."""
    wish = case["gate"]["wish"]
    if run.gate is not Answer.OTHER:
        same = run.gate == wish
        return ("right", "") if same else ("wrong", f"read as {run.gate}")
    if wish == "no":
        return ("wrong", "asked to place it") if run.proposed is not None else ("right", "")
    return ("clarified", "asked again") if run.proposed is not None else ("wrong", "neither placed nor asked")


def _order(case: Case, run: Run) -> Verdict:
    wanted = case["expected_items"]
    if wanted == "clarify":
        if run.proposed is not None:
            return "wrong", f"should ask: {case['reason']}"
        return ("right", "") if "?" in run.text else ("wrong", "no question")
    expected = sorted(_line(item) for item in wanted)
    if sorted(run.lines) == expected:
        return _said_all(case, run)
    if run.proposed is not None:
        return "wrong", f"proposed {run.lines}"
    if any(line not in expected and not _is_part(line, expected, case) for line in run.draft):
        return "wrong", f"drafted {run.draft}"
    if case.get("accept_clarify") and "?" in run.text:
        return "right", "asked"
    return ("clarified", f"has {run.draft}") if "?" in run.text else ("wrong", "no question")


def _is_part(line: Line, expected: list[Line], case: Case) -> bool:
    """A line that was there before the turn is not something wrong added."""
    return line in [_line(item) for item in case["context"].get("cart") or []]


def _said_all(case: Case, run: Run) -> Verdict:
    when = case.get("fulfil", {}).get("when", "")
    held = (run.proposed or {}).get("pickup_at") or run.pickup_at
    if "T" in when and held != when:
        return ("clarified", f"pick-up {held}") if run.proposed is None else ("wrong", f"pick-up {held}")
    for words in case.get("unresolved", ()):
        if not all(word in run.text.casefold() for word in words.split()) or run.proposed is not None:
            return "wrong", f"{words} was passed over"
    if "branch_closed" in case.get("issues", ()) and run.proposed is not None:
        return "wrong", "the branch is closed"
    total = case.get("expected_subtotal")
    if case["intent"] == "ask_total" and total and _money(total) not in run.text:
        return "wrong", "no total"
    return "right", ""


def _line(item: dict[str, Any]) -> Line:
    codes = tuple(sorted(f"{key}:{one}" for key, chosen in item["options"].items() for one in chosen))
    return (item["key"], item["quantity"], item.get("variant") or "", codes, (item.get("note") or "").casefold())


def _money(amount: str) -> str:
    return show(Decimal(amount), current().shop)


def _price(case: Case, run: Run) -> Verdict:
    product = current().by_key[case["facts"]["product"]]
    told = _money(case["facts"]["price"]) in run.text and product.name in run.text
    return ("right", "") if told else ("wrong", "price not told")


def _total(case: Case, run: Run) -> Verdict:
    told = _money(case["facts"]["total"]) in run.text
    return ("right", "") if told else ("wrong", "total not told")


def _hours(case: Case, run: Run) -> Verdict:
    facts = case["facts"]
    asked = next((arguments for name, arguments in run.calls if name == "check_hours"), None)
    branch = current().branch_by_key[facts["branch"]]
    if asked is None or branch.name not in run.text:
        return "wrong", "hours not looked up"
    for end in ("open", "close"):
        if end in facts and facts[end] is not None and facts[end].lstrip("0") not in run.text.replace("–0", "–"):
            return "wrong", f"{end} {facts[end]} not told"
    closed = facts.get("open", "") is None
    if closed and not any(word in run.text for word in ("closed", "cerrad")):
        return "wrong", "closed not told"
    return "right", ""


def _allergens(case: Case, run: Run) -> Verdict:
    facts = case["facts"]
    product = current().by_key[facts["product"]]
    if product.name not in run.text:
        return "wrong", "another product"
    named = all(texts.allergen(one) in run.text for one in facts["allergens"] or ())
    return ("right", "") if named and texts.allergens_caution() in run.text else ("wrong", "not all told")


def _availability(case: Case, run: Run) -> Verdict:
    facts = case["facts"]
    if facts.get("on_menu") is False:
        missing = not any(product.name in run.text for product in current().products)
        return ("right", "") if missing else ("wrong", "claims to have it")
    product = current().by_key[facts["product"]]
    if product.name not in run.text:
        return "wrong", "another product"
    unavailable = facts.get("available") is False
    marks = ("not available", "sold out", "no disponible", "agotad", "no hay")
    if unavailable and not any(mark in run.text.casefold() for mark in marks):
        return "wrong", "not told that there is none"
    return "right", ""


def _menu(case: Case, run: Run) -> Verdict:
    asked = next((arguments for name, arguments in run.calls if name == "view_menu"), None)
    if asked is None:
        return "wrong", "menu not shown"
    wanted = case.get("facts", {}).get("category")
    return ("right", "") if wanted in (None, asked.get("category")) else ("clarified", "another part of the menu")


def _delivery(case: Case, run: Run) -> Verdict:
    """The desk takes pick-up only: that is the whole truth until it knows fees."""
    if run.calls:
        return "wrong", "did something"
    return ("right", "") if case["facts"].get("delivery") is False else ("clarified", "zones and fees are not known")


def _payment(case: Case, run: Run) -> Verdict:
    if all(method in run.text for method in case["facts"]["methods"]):
        return "right", ""
    return ("clarified", "offers a person") if "?" in run.text else ("wrong", "no answer")


def _status(case: Case, run: Run) -> Verdict:
    told = all(_spoken(order["number"]) in run.text for order in case["context"]["placed"])
    return ("right", "") if told else ("wrong", "order not told")


def _spoken(number: str) -> str:
    """Our numbers have no leading zero."""
    letter, digits = number.split("-")
    return f"{letter}-{int(digits)}"


def _about(tool: str) -> Callable[[Case, Run], Verdict]:
    def rule(case: Case, run: Run) -> Verdict:
        number = _spoken(case["context"]["placed"][0]["number"])
        if run.asked_about == tool and (run.proposed or {}).get("order") == number:
            return "right", ""
        return ("wrong", f"asked {run.asked_about}") if run.proposed is not None else ("clarified", run.text)

    return rule


def _repeat(case: Case, run: Run) -> Verdict:
    expected = sorted(_line(item) for item in case["context"]["last_order"])
    if sorted(run.lines) == expected:
        return "right", ""
    return ("wrong", f"{run.lines}") if run.lines else ("clarified", "asked")


_QUESTIONS: dict[str, Callable[[Case, Run], Verdict]] = {
    "ask_price": _price,
    "ask_total": _total,
    "ask_hours": _hours,
    "ask_allergens": _allergens,
    "ask_availability": _availability,
    "ask_menu": _menu,
    "ask_delivery": _delivery,
    "ask_payment": _payment,
    "order_status": _status,
    "order_cancel": _about("cancel_order"),
    "order_change_placed": _about("update_order"),
    "repeat_last": _repeat,
}
