"""What models cost, and the day's budgets: staff are warned, and then the order taker answers alone."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from django.conf import settings as in_force
from django.db import connection
from django.test.utils import CaptureQueriesContext

from aitools import behaviour, caps, clock, spending
from aitools.models import AuditEvent, BotProfile, Conversation, ModelEndpoint, Step, Turn
from aitools.providers import scripted
from aitools.providers.scripted import says
from aitools.spending import Stage
from aitools.types import ModelReply, Usage
from tests.aitools.desk import Desk

SANTIAGO = ZoneInfo("America/Santiago")
#: Noon in Santiago, in summer.
NOON = datetime(2026, 11, 24, 15, 0, tzinfo=UTC)


def santiago() -> ZoneInfo:
    return SANTIAGO


@pytest.fixture(autouse=True)
def shop_day(settings: object) -> Iterator[None]:
    settings.AITOOLS_TIME_ZONE = "tests.aitools.test_spending.santiago"  # type: ignore[attr-defined]
    spending.forget()
    redis = caps.client_of(in_force.REDIS_URL)
    for told in redis.scan_iter(f"{in_force.REDIS_PREFIX}stop:budget:*"):
        redis.delete(told)
    yield
    spending.forget()


@pytest.fixture
def turn(transactional_db: None) -> Turn:
    return Turn.objects.create(conversation=Conversation.objects.create(channel="web", address="a"), state="done")


def costs(turn: Turn, dollars: str | None, at: datetime) -> None:
    """A reply with this cost, stored then."""
    index = turn.steps.count() + 1
    Step.objects.create(turn=turn, index=index, provider="x", stop="end", cost=dollars, created_at=at)


def profile(soft: str | None = None, hard: str | None = None) -> BotProfile:
    return BotProfile(
        daily_budget_soft=None if soft is None else Decimal(soft),
        daily_budget_hard=None if hard is None else Decimal(hard),
    )


class TestToday:
    def test_is_the_shops_own_day(self, turn: Turn) -> None:
        midnight = datetime(2026, 11, 24, 0, 0, tzinfo=SANTIAGO)
        costs(turn, "1", midnight - timedelta(microseconds=1))
        costs(turn, "2", midnight)
        costs(turn, "4", midnight + timedelta(days=1) - timedelta(microseconds=1))
        costs(turn, "8", midnight + timedelta(days=1))
        costs(turn, None, NOON)
        assert spending.today(NOON) == 6

    def test_begins_anew_at_midnight_whatever_was_known(self, turn: Turn) -> None:
        costs(turn, "2", NOON)
        assert spending.today(NOON) == 2
        assert spending.today(NOON + timedelta(hours=12)) == 0

    @pytest.mark.parametrize(("day", "hours"), [(datetime(2026, 9, 6, 12, tzinfo=UTC), 23), (NOON, 24)])
    def test_has_the_hours_that_it_has(self, day: datetime, hours: int) -> None:
        """Santiago puts its clocks forward at midnight of that Sunday."""
        begins, ends = spending.local_day(day)
        assert ends.astimezone(UTC) - begins.astimezone(UTC) == timedelta(hours=hours)

    def test_is_asked_once_in_half_a_minute(self, turn: Turn) -> None:
        costs(turn, "1", NOON)
        assert spending.today(NOON) == 1
        costs(turn, "1", NOON)
        with CaptureQueriesContext(connection) as asked:
            assert spending.today(NOON) == 1
        assert len(asked) == 0
        assert spending._known is not None
        spending._known.read_at -= spending.KNOWN_SECONDS
        with CaptureQueriesContext(connection) as asked:
            assert spending.today(NOON) == 2
        assert len(asked) == 1

    def test_what_this_process_spends_counts_at_once(self, turn: Turn) -> None:
        spending.today(NOON)
        spending.spent(Decimal("0.5"))
        assert spending.today(NOON) == Decimal("0.5")


@pytest.mark.parametrize(
    ("soft", "hard", "stage"),
    [
        (None, None, Stage.FREE),
        ("2.01", None, Stage.FREE),
        ("2.00", None, Stage.WARN),
        ("1", "2.01", Stage.WARN),
        ("1", "2", Stage.STOP),
        (None, "2", Stage.STOP),
        (None, "0", Stage.STOP),
    ],
)
def test_a_budget_is_used_up_when_it_is_reached(turn: Turn, soft: str | None, hard: str | None, stage: Stage) -> None:
    costs(turn, "2", NOON)
    assert spending.stage(profile(soft, hard), NOON) is stage


def test_without_budgets_nothing_is_asked(turn: Turn) -> None:
    with CaptureQueriesContext(connection) as asked:
        assert spending.stage(profile(), NOON) is Stage.FREE
    assert len(asked) == 0


class TestAtTheDesk:
    """A model that costs ten dollars for a million tokens, in and out; a reply takes a thousand of each."""

    @pytest.fixture(autouse=True)
    def priced(self, desk: Desk) -> None:
        ModelEndpoint.objects.update(input_price=10, output_price=10)

    def reply(self) -> ModelReply:
        return ModelReply("Hola.", usage=Usage(1000, 1000))

    def test_each_reply_is_stored_with_its_cost(self, desk: Desk) -> None:
        with scripted.script([self.reply()]):
            desk.write("hola")
        assert Step.objects.get().cost == Decimal("0.02")

    def test_it_takes_no_statement_more(self, desk: Desk) -> None:
        statements = []
        for prices in ({"input_price": None}, {"input_price": 1}):
            ModelEndpoint.objects.update(**prices)
            with scripted.script([says("Hola."), says("Hola.")]):
                desk.write("hola")
                with CaptureQueriesContext(connection) as asked:
                    desk.write("hola")
            statements.append(len(asked))
        assert statements[0] == statements[1]

    def test_over_the_hard_budget_only_the_order_taker_answers(
        self, desk: Desk, caplog: pytest.LogCaptureFixture
    ) -> None:
        BotProfile.objects.update(daily_budget_hard=Decimal("0.10"))
        with scripted.script([self.reply()] * 5) as script:
            for _ in range(7):
                desk.write("hola")
        assert len(script.calls) == 5
        by = list(Step.objects.order_by("turn_id").values_list("provider", flat=True))
        assert by == ["scripted"] * 5 + ["offline"] * 2
        told = AuditEvent.objects.filter(kind="provider.fallback").values_list("error", flat=True)
        assert list(told) == [spending.OVER] * 2
        assert [record.levelname for record in caplog.records if "US$" in record.getMessage()] == ["ERROR"]
        assert "cost US$ 0.10" in caplog.text

    def test_the_next_day_the_model_answers_again(self, desk: Desk) -> None:
        BotProfile.objects.update(daily_budget_hard=Decimal("0.02"))
        with scripted.script([self.reply()] * 2) as script:
            desk.write("hola")
            desk.write("hola")
            ends = spending.local_day(clock.now())[1]
            clock.shift((ends - clock.now()).total_seconds() + 1)
            desk.write("hola")
        assert len(script.calls) == 2

    def test_over_the_soft_one_staff_are_told_once_and_the_model_goes_on(
        self, desk: Desk, caplog: pytest.LogCaptureFixture
    ) -> None:
        BotProfile.objects.update(daily_budget_soft=Decimal("0.02"))
        with scripted.script([self.reply()] * 3) as script:
            for _ in range(3):
                desk.write("hola")
                spending._told.clear()  # as if another process answered
        assert len(script.calls) == 3
        assert [record.levelname for record in caplog.records if "US$" in record.getMessage()] == ["WARNING"]

    def test_what_was_spent_is_told_beside_a_budget_of_nothing(
        self, desk: Desk, caplog: pytest.LogCaptureFixture
    ) -> None:
        with scripted.script([self.reply()]):
            desk.write("hola")
        BotProfile.objects.update(daily_budget_hard=0)
        desk.write("hola")
        assert "Models have cost US$ 0.020000 today, the budget is US$ 0.00: the order taker" in caplog.text


def test_the_order_taker_costs_nothing_and_is_never_counted(desk: Desk) -> None:
    ModelEndpoint.objects.update(active=False)
    desk.write("hola")
    assert Step.objects.get().cost is None
    assert behaviour.current().endpoints()[-1].prices is None
