"""The reply guard: a reply may state only what results and facts back.

Three kinds of statement are checked, Spanish and English:

* amounts of money: each must stand in a result, in the facts or in earlier
  words of ours, and belong to the item or total it is said of.  Nothing is
  added up here: a sum that no result gives is unbacked, and so are offers
  (a discount, "2x1", something for free) that no result or fact mentions;
* claims that something was done: each needs a call with an effect that was
  done in this turn or is remembered, of a tool that ``acts`` that way, or for
  how something stands a record (an object with a ``state``) in that state;
* the shop's own kinds of claim, by the function the setting ``AITOOLS_CLAIMS``
  names (for food: what is in it and whom it is safe for).

A reply is read as a chat shows it: marks of emphasis, tags, unseen characters
and quotes around one word hide nothing.

Questions, offers with "if", denials, and the customer's own words told again
are no claims.  All of it is pure text work: no database, no network, no model.

Acts: "create", "draft" (something is being put together), "change", "cancel",
"handover", "pay", "send"; a tool without ``acts`` backs any of them.

What it does not see:

* wrong hours, dates, addresses, quantities, names and payment methods;
* a small whole number without currency or price word ("son 84"), and a price
  given for the right item of the wrong size when the size is not named;
* a true offer told of the wrong product or day, and a stale total of the facts
  when another result has that number too;
* promises ("una persona te llamará"), and claims in words of no list or in a
  third language; claims after a true one of the same kind in the same turn
  ("cancelled both" after one cancellation);
* "está confirmado" of a new order while an older one is open, and a bare
  "done" or "ya quedó" after any effect, also one that only put things together;
* a claim of ours in words that a result, a customer's note in it included, has;
* statements that something *is* in a product, and irony.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.conf import settings
from django.utils.module_loading import import_string

from aitools.guard import evidence as gathered
from aitools.guard import offers
from aitools.guard.actions import Actions, Deed, numbers_in
from aitools.guard.evidence import Evidence
from aitools.guard.money import Money
from aitools.guard.plain import as_shown
from aitools.guard.sentences import Clause, Sentence, fold, sentences
from aitools.loop import CallView, Guard, Transcript
from aitools.tools import ToolSet
from aitools.types import AssistantText, Json, Message, UserText

__all__ = ["Check", "Clause", "Done", "Evidence", "Sentence", "guard_for"]

#: A further check: what of a sentence nothing backs, in English, "" when all of it is backed.
Check = Callable[[Sentence, Evidence], str]


@dataclass(frozen=True, slots=True)
class Done:
    """An earlier success that still counts: the tool's name and its result as text."""

    tool: str
    content: str


def guard_for(
    facts: Mapping[str, Json],
    talk: Sequence[Message],
    remembered: Sequence[Done],
    tools: ToolSet,
    check: Check | None = None,
) -> Guard:
    """A guard for one turn.

    ``talk`` is earlier talk and this turn's customer text; ``check`` is the
    shop's, by default the one that ``AITOOLS_CLAIMS`` names.  The guard returns
    a short English phrase naming the first thing unbacked, "" when there is none.
    """
    shops = check or _shops_check()

    def guard(text: str, transcript: Transcript) -> str:
        calls = [call for step in transcript.steps for call in step.calls]
        evidence = _evidence(facts, talk, remembered, calls)
        money = Money(evidence, gathered.from_customer(evidence.theirs))
        actions = Actions(evidence, list(_deeds(calls, remembered, tools)))
        for sentence in sentences(as_shown(text)):
            found = (
                money.unbacked(sentence)
                or offers.unbacked(sentence, evidence)
                or actions.unbacked(sentence)
                or actions.unknown_reference(sentence)
                or shops(sentence, evidence)
            )
            if found:
                return found
        return ""

    return guard


def _shops_check() -> Check:
    path: str = getattr(settings, "AITOOLS_CLAIMS", "")
    if not path:
        return lambda _sentence, _evidence: ""
    check: Check = import_string(path)
    return check


def _evidence(
    facts: Mapping[str, Json], talk: Sequence[Message], remembered: Sequence[Done], calls: Iterable[CallView]
) -> Evidence:
    evidence = Evidence(theirs=[fold(as_shown(one.text)) for one in talk if isinstance(one, UserText)])
    for call in calls:
        if call.content:
            gathered.add_json(evidence, gathered.parsed(call.content), is_result=not call.is_error)
    for done in remembered:
        gathered.add_json(evidence, gathered.parsed(done.content), is_result=False)
    gathered.add_json(evidence, facts, is_result=False)
    for one in talk:
        if isinstance(one, AssistantText):
            said = as_shown(one.text)
            evidence.ours.append(fold(said))
            gathered.add_text(evidence, said, is_current=False)
    return evidence


def _deeds(calls: Iterable[CallView], remembered: Iterable[Done], tools: ToolSet) -> Iterator[Deed]:
    """The calls that do something, and how they ended."""
    for call in calls:
        bound = tools.get(call.request.name)
        if bound is not None and bound.tool.effects != "none":
            yield Deed(frozenset(bound.tool.acts), _ended(call), numbers_in(call.content))
    for done in remembered:
        bound = tools.get(done.tool)
        acts = bound.tool.acts if bound is not None else ()
        yield Deed(frozenset(acts), "done", numbers_in(done.content), remembered=True)


def _ended(call: CallView) -> str:
    value = gathered.parsed(call.content)
    outcome = value if isinstance(value, dict) else {}
    if outcome.get("reason") == "duplicate":
        return "repeated"
    fails = call.is_error or not call.done or outcome.get("executed") is False or bool(outcome.get("error"))
    return "failed" if fails else "done"
