"""Steps that were tried out, as finished values for their pages."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from aitools.admin.replays import pretty, span
from aitools.comparison import key_of
from aitools.loop import OUR_CODE
from aitools.models import BotProfile, ModelEndpoint
from aitools.prices import dollars
from aitools.trials import Answered, TriedCall, TriedStep

#: Who may spend the shop's money on trying a model out: whoever may choose the model.
PERMISSION = "aitools.change_botprofile"
BUSY = gettext_lazy("Others are trying a model just now. Try again in a moment.")


@dataclass(frozen=True, slots=True)
class Call:
    """One call; ``differs`` when the other side did not make it."""

    name: str
    arguments: str
    told: str
    is_error: bool
    took: str
    differs: bool


@dataclass(frozen=True, slots=True)
class Card:
    """One step. ``notes`` are what our rules did about it, and what failed before."""

    number: int
    by: str
    stop: str
    took: str
    tokens: str
    cost: str
    nudge: str
    facts: str
    text: str
    calls: Sequence[Call]
    notes: Sequence[str]


@dataclass(frozen=True, slots=True)
class Sums:
    """All steps together; "" where nothing is known."""

    took: str
    tokens: str
    cost: str
    requests: int


def may_try(request: HttpRequest) -> bool:
    """Whether this person may try models out."""
    return bool(request.user.has_perm(PERMISSION))


def choices(profile: BotProfile | None = None) -> list[tuple[str, str]]:
    """Models to choose from, as ``aitools.trials.endpoint_of`` takes them; for a profile its own comes first."""
    rows = ModelEndpoint.objects.filter(active=True).exclude(kind=ModelEndpoint.Kind.OFFLINE)
    own = [("", _("The profile's own model"))] if profile is not None else []
    return [*own, *((str(row.pk), row.name) for row in rows), ("offline", _("Offline order taker"))]


def cards(steps: Iterable[TriedStep], differing: Collection[str] = ()) -> list[Card]:
    """``differing`` are calls by ``comparison.key_of`` to be marked."""
    return [_card(number, step, differing) for number, step in enumerate(steps, 1)]


def sums(steps: Sequence[TriedStep]) -> Sums:
    answered = [step.answered for step in steps if step.answered]
    costs = [one.cost for one in answered if one.cost is not None]
    return Sums(
        took=span(sum(one.duration_ms for one in answered)) if answered else "",
        tokens=_tokens(
            sum(step.input_tokens for step in steps),
            sum(step.cached_tokens for step in steps),
            sum(step.output_tokens for step in steps),
        ),
        cost=dollars(sum(costs, Decimal(0))) if costs else "",
        requests=len(answered),
    )


def _card(number: int, step: TriedStep, differing: Collection[str]) -> Card:
    answered = step.answered
    return Card(
        number=number,
        by=_by(step),
        stop=step.stop,
        took=span(answered.duration_ms) if answered else "",
        tokens=_tokens(step.input_tokens, step.cached_tokens, step.output_tokens) if answered else "",
        cost=dollars(answered.cost) if answered and answered.cost is not None else "",
        nudge=step.nudge,
        facts=pretty(answered.facts) if answered and answered.facts else "",
        text=step.text,
        calls=[_call(call, differing) for call in step.calls],
        notes=list(_notes(step, answered)),
    )


def _by(step: TriedStep) -> str:
    if step.provider == OUR_CODE or step.answered is None:
        return _("Our code")
    return f"{step.answered.model or step.provider} ({step.provider})"


def _call(call: TriedCall, differing: Collection[str]) -> Call:
    return Call(
        name=call.name,
        arguments=pretty(call.arguments) if call.arguments is not None else "",
        told=call.told,
        is_error=call.is_error,
        took=span(call.duration_ms),
        differs=key_of(call) in differing,
    )


def _notes(step: TriedStep, answered: Answered | None) -> Iterator[str]:
    if answered is not None:
        yield from answered.failures
        if answered.by_plan:
            yield _("Asked for a JSON plan, without the vendor's own tool calls.")
    for kind, detail in step.events:
        yield f"{kind}: {detail}" if detail else kind


def _tokens(given: int, cached: int, made: int) -> str:
    """ "" for who counts none."""
    if not given + made:
        return ""
    values: dict[str, Any] = {"input": given, "cached": cached, "output": made}
    return _("%(input)d tokens in, %(cached)d of them cached, %(output)d out") % values
