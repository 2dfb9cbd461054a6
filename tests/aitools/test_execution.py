"""Running a call: exactly once, in time, and with every fault told."""

from __future__ import annotations

import threading
import time
from asyncio import CancelledError
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection, connections, transaction

from aitools import clock, execution, leases, staffing, turns
from aitools.errors import AgreementChanged, ToolFailed, ToolRetry
from aitools.models import AuditEvent, Conversation, ModelEndpoint, PendingConfirmation, ToolCall, Turn
from aitools.providers import scripted
from aitools.providers.scripted import asks, says
from aitools.tools import Tool, ToolContext, registry
from tests.aitools import desk as parts
from tests.aitools.desk import Desk, Thing
from tests.aitools.threads import together

Handler = Callable[[Thing, ToolContext], Any]
#: A dead worker's lease covers what its models may take (30 s, 5 s offline) and the grace.
LEASE_SECONDS = 35 + leases.GRACE_SECONDS + 1
DO = asks(("work", {"name": "pan"}))


@pytest.fixture
def use(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Give the desk a tool ``work``; its late handlers have ended when the test has."""
    before = set(threading.enumerate())

    def declare(handler: Handler, **fields: Any) -> None:
        fields.setdefault("effects", "database")
        monkeypatch.setitem(registry._tools, "work", Tool("work", "Works.", handler, Thing, **fields))

    monkeypatch.setattr(execution, "_threads", ThreadPoolExecutor(4))
    yield declare
    execution._threads.shutdown(wait=True)
    for thread in set(threading.enumerate()) - before:
        thread.join(10)


def put(name: str) -> None:
    ModelEndpoint.objects.create(name=f"{name} {time.monotonic_ns()}", kind="scripted", model="made")


def call() -> ToolCall:
    return ToolCall.objects.latest("id")


def kinds() -> list[str]:
    return list(AuditEvent.objects.order_by("id").values_list("kind", flat=True))


def test_effect_and_record_are_one_transaction(desk: Desk, use: Callable[..., None]) -> None:
    inside: list[tuple[bool, str]] = []

    def work(args: Thing, ctx: ToolContext) -> dict[str, str]:
        put(args.name)
        inside.append((connection.in_atomic_block, call().state))
        return {"made": args.name}

    use(work)
    with scripted.script([DO, says("Listo.")]):
        desk.write("pan")
    assert inside == [(True, "requested")]
    assert (call().state, call().value, call().attempt) == ("done", {"made": "pan"}, 1)
    assert kinds() == ["tool.call", "tool.result"]
    assert len(parts.things()) == 1


def test_a_crash_before_the_commit_means_nothing_happened_and_it_runs_again(
    desk: Desk, use: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    use(lambda args, ctx: put(args.name))
    crash_once(monkeypatch, execution, "_mark_done")
    with scripted.script([DO, says("Listo.")]):
        with pytest.raises(Crash):
            desk.write("pan")
        assert (call().state, parts.things()) == ("requested", [])
        clock.shift(LEASE_SECONDS)
        desk.sweep()
    assert (call().state, call().attempt, len(parts.things())) == ("done", 1, 1)
    assert desk.said() == ["Listo."]


def test_a_crash_after_the_commit_uses_the_stored_result(
    desk: Desk, use: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    use(lambda args, ctx: put(args.name))
    real = execution.run

    def run_then_die(*args: Any) -> None:
        monkeypatch.setattr(execution, "run", real)
        real(*args)
        raise Crash

    monkeypatch.setattr(execution, "run", run_then_die)
    with scripted.script([DO, says("Listo.")]):
        with pytest.raises(Crash):
            desk.write("pan")
        clock.shift(LEASE_SECONDS)
        desk.sweep()
    assert (call().attempt, len(parts.things())) == (1, 1)
    assert desk.said() == ["Listo."]


class Crash(BaseException):
    """A worker's sudden end: no ``except Exception`` sees it."""


def crash_once(monkeypatch: pytest.MonkeyPatch, module: object, name: str) -> None:
    real = getattr(module, name)

    def die(*args: Any) -> None:
        monkeypatch.setattr(module, name, real)
        raise Crash

    monkeypatch.setattr(module, name, die)


@pytest.mark.parametrize("left", ["running", "approved"])
def test_a_call_left_by_a_killed_worker_is_done_once(desk: Desk, use: Callable[..., None], left: str) -> None:
    use(lambda args, ctx: put(args.name), confirm=True)
    with scripted.script([DO, says("Listo.")]):
        desk.write("pan")
        desk.receive("sí")
        desk.published.clear()
        ToolCall.objects.update(state=left, attempt=int(left == "running"))
        PendingConfirmation.objects.update(state="approved", answered_seq=2)
        Turn.objects.update(state="running", read_to=2)
        Conversation.objects.update(read_seq=2)
        desk.sweep()
    assert (call().state, len(parts.things())) == ("done", 1)


def test_at_the_timeout_the_turn_goes_on_and_the_rows_never_come(desk: Desk, use: Callable[..., None]) -> None:
    cancelled = threading.Event()
    ended: list[bool] = []

    def work(args: Thing, ctx: ToolContext) -> None:
        put(args.name)
        ended.append(ctx.cancelled.wait(10))
        cancelled.set()

    use(work, timeout_s=0.3)
    started = time.monotonic()
    with scripted.script([DO, says("Tardó.")]) as script:
        assert desk.write("pan") == ["Tardó."]
    assert time.monotonic() - started < 5
    assert cancelled.wait(5)
    execution._threads.shutdown(wait=True)
    assert (ended, parts.things()) == ([True], [])
    assert (call().state, call().is_error) == ("failed", True)
    assert "tool.timeout" in kinds()
    assert "tool.result" not in kinds()
    assert "longer than 0.3 s and was undone" in str(script.calls[1].messages)


def test_a_late_handler_can_commit_nothing(desk: Desk, use: Callable[..., None]) -> None:
    """It ignores the cancellation and comes to its end long after the turn went on."""
    go_on = threading.Event()

    def work(args: Thing, ctx: ToolContext) -> str:
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        go_on.wait(10)
        put(args.name)
        return "made"

    use(work, timeout_s=0.2)
    with scripted.script([DO, says("Tardó.")]):
        desk.write("pan")
    go_on.set()
    execution._threads.shutdown(wait=True)
    assert (parts.things(), call().state, call().value) == ([], "failed", None)


def test_a_handler_that_never_began_in_time_never_begins(
    desk: Desk, use: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[str] = []
    use(lambda args, ctx: ran.append(args.name), timeout_s=0.1, effects="external")
    monkeypatch.setattr(execution, "_threads", ThreadPoolExecutor(1))
    busy = threading.Event()
    execution._threads.submit(busy.wait, 10)
    with scripted.script([DO, says("Tardó.")]):
        desk.write("pan")
    busy.set()
    execution._threads.shutdown(wait=True)
    assert (ran, call().state) == ([], "failed")


def test_a_slow_statement_is_cut_at_the_timeout(desk: Desk, use: Callable[..., None]) -> None:
    def work(args: Thing, ctx: ToolContext) -> None:
        put(args.name)
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_sleep(5)")

    use(work, timeout_s=0.3)
    with scripted.script([DO, says("Tardó.")]):
        assert desk.write("pan") == ["Tardó."]
    assert (call().state, parts.things()) == ("failed", [])
    assert "tool.timeout" in kinds()


def test_a_lock_that_is_held_elsewhere_is_not_waited_for_beyond_the_timeout(
    desk: Desk, use: Callable[..., None]
) -> None:
    held = ModelEndpoint.objects.create(name="held", kind="scripted")
    use(lambda args, ctx: ModelEndpoint.objects.filter(pk=held.pk).update(model="mine") and None, timeout_s=0.3)
    with transaction.atomic():
        ModelEndpoint.objects.select_for_update().get(pk=held.pk)
        elsewhere = threading.Thread(target=one_turn, args=[desk])
        elsewhere.start()
        elsewhere.join(10)
    assert not elsewhere.is_alive()
    assert (call().state, "tool.timeout" in kinds()) == ("failed", True)


def one_turn(desk: Desk) -> None:
    try:
        with scripted.script([DO, says("Tardó.")]):
            desk.write("pan")
    finally:
        connections.close_all()


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (ToolRetry("name a size"), "name a size"),
        (ToolFailed("closed today", say="Hoy no abrimos."), "Hoy no abrimos."),
        (KeyError("secret"), "The tool failed (KeyError); nothing was done."),
    ],
)
def test_a_handlers_fault_undoes_its_writes_and_is_told_to_the_model(
    desk: Desk, use: Callable[..., None], fault: Exception, told: str
) -> None:
    def work(args: Thing, ctx: ToolContext) -> None:
        put(args.name)
        raise fault

    use(work)
    with scripted.script([DO, says("Perdón.")]) as script:
        assert desk.write("pan") == ["Perdón."]
    assert (parts.things(), call().state, call().is_error) == ([], "failed", True)
    assert told in call().result
    assert "secret" not in str(script.calls[1].messages)
    assert kinds() == ["tool.call", "tool.error"]


def test_a_value_without_a_json_form_undoes_the_writes(desk: Desk, use: Callable[..., None]) -> None:
    def work(args: Thing, ctx: ToolContext) -> object:
        put(args.name)
        return object()

    use(work)
    with scripted.script([DO, says("Perdón.")]):
        desk.write("pan")
    assert (parts.things(), call().state) == ([], "failed")


def test_what_was_agreed_and_is_not_so_any_more_is_asked_again(desk: Desk, use: Callable[..., None]) -> None:
    prices = [5]

    def work(args: Thing, ctx: ToolContext) -> None:
        put(args.name)
        if ctx.agreed != {"total": prices[0]}:
            raise AgreementChanged

    use(work, confirm=True, fingerprint=lambda args, ctx: {"total": 5}, confirm_lines=lambda args, ctx: ["Total: 5"])
    with scripted.script([DO]):
        desk.write("pan")
        prices[0] = 6
        (again,) = desk.write("sí")
    assert again.startswith("Algo cambió")
    assert parts.things() == []
    assert kinds()[-2:] == ["tool.changed", "tool.confirm.requested"]


def test_an_outside_effect_found_running_is_unknown_and_not_run_again(desk: Desk, use: Callable[..., None]) -> None:
    ran: list[str] = []
    use(lambda args, ctx: ran.append(ctx.call_id), effects="external")
    with scripted.script([DO, says("No lo sé.")]) as script:
        desk.receive("pan")
        desk.published.clear()
        lone_step(desk)
        ToolCall.objects.update(state="running", attempt=1)
        desk.sweep()
    assert (ran, call().state) == ([], "unknown")
    assert "outcome is unknown" in str(script.calls[1].messages)


def lone_step(desk: Desk) -> None:
    """Let the model ask, and stop right before its call runs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(execution._threads, "submit", stop)
        with pytest.raises(Crash):
            turns.advance(desk.conversation().pk)
    Conversation.objects.update(lease_token=None, lease_until=None)


def stop(*args: object) -> None:
    raise Crash


@pytest.mark.parametrize("ending", ["breaks", "takes too long"])
def test_what_an_outside_effect_did_before_it_failed_nobody_claims_to_know(
    desk: Desk, use: Callable[..., None], ending: str
) -> None:
    def work(args: Thing, ctx: ToolContext) -> None:
        if ending == "breaks":
            raise ConnectionError
        ctx.cancelled.wait(10)

    use(work, effects="external", timeout_s=0.3)
    with scripted.script([DO, says("No lo sé.")]):
        desk.write("pan")
    assert call().state == "unknown"
    assert "undone" not in call().result
    assert "nothing was done" not in call().result


def test_an_outside_effect_that_says_no_did_nothing(desk: Desk, use: Callable[..., None]) -> None:
    def work(args: Thing, ctx: ToolContext) -> None:
        raise ToolFailed("The courier refused.")

    use(work, effects="external")
    with scripted.script([DO, says("No se puede.")]):
        desk.write("pan")
    assert call().state == "failed"


def test_a_tool_that_declares_no_effects_can_write_nothing(desk: Desk, use: Callable[..., None]) -> None:
    """Whoever wrote it forgot to say so: the model is told, and nobody was asked for a yes."""
    use(lambda args, ctx: put(args.name), effects="none")
    with scripted.script([DO, says("No pude.")]) as script:
        assert desk.write("pan") == ["No pude."]
    assert (parts.things(), call().state) == ([], "failed")
    assert "writes to the database but declares no effects" in str(script.calls[1].messages[-1])


def test_outside_effects_hold_no_transaction_open(desk: Desk, use: Callable[..., None]) -> None:
    open_blocks: list[bool] = []
    use(lambda args, ctx: open_blocks.append(connection.in_atomic_block), effects="external")
    with scripted.script([DO, says("Listo.")]):
        desk.write("pan")
    assert (open_blocks, call().state) == ([False], "done")


@pytest.mark.parametrize("stop_by", ["reset", "person"])
def test_a_handler_overtaken_by_a_reset_or_a_person_commits_nothing(
    desk: Desk, use: Callable[..., None], stop_by: str
) -> None:
    def work(args: Thing, ctx: ToolContext) -> None:
        put(args.name)
        elsewhere = threading.Thread(target=interrupt)
        elsewhere.start()
        elsewhere.join(10)
        assert not elsewhere.is_alive(), "The handler's transaction holds the conversation."

    def interrupt() -> None:
        if stop_by == "reset":
            desk.receive("/reset")
        else:
            staffing.take_over(desk.conversation().pk)
        connections.close_all()

    use(work)
    with scripted.script([DO]):
        desk.write("pan")
    assert (parts.things(), call().state, desk.turn().state) == ([], "cancelled", "cancelled")


def test_an_epoch_that_moved_on_alone_is_enough_to_void_the_commit(desk: Desk, use: Callable[..., None]) -> None:
    def work(args: Thing, ctx: ToolContext) -> None:
        put(args.name)
        together(lambda: Conversation.objects.update(epoch=ctx.epoch + 1))

    use(work)
    with scripted.script([DO]):
        desk.write("pan")
    assert (parts.things(), call().state) == ([], "requested")


def test_an_outside_effect_overtaken_by_a_reset_is_left_to_staff(desk: Desk, use: Callable[..., None]) -> None:
    use(lambda args, ctx: desk.receive("/reset"), effects="external")
    with scripted.script([DO]):
        desk.write("pan")
    assert call().state == "unknown"
    assert desk.conversation().needs_staff


def test_a_handler_knows_who_asks_where_and_until_when(desk: Desk, use: Callable[..., None]) -> None:
    got: list[ToolContext] = []
    use(lambda args, ctx: got.append(ctx), timeout_s=5)
    with scripted.script([DO, says("Listo.")]):
        desk.write("hola, quiero pan por favor", profile_name="Ana")
    (ctx,) = got
    assert (ctx.tool, ctx.channel, ctx.address, ctx.profile_name) == ("work", "web", "visitor-1", "Ana")
    assert (ctx.call_id, ctx.tool_call_id, ctx.language) == (str(call().call_id), call().pk, "es")
    assert ctx.deadline is not None
    assert 0 < ctx.deadline - time.monotonic() <= 5


def test_a_handlers_now_is_the_databases_time_and_its_chat_the_conversation(
    desk: Desk, use: Callable[..., None]
) -> None:
    got: list[ToolContext] = []
    rows: list[Conversation] = []

    def work(args: Thing, ctx: ToolContext) -> None:
        got.append(ctx)
        rows.append(ctx.conversation)

    use(work)
    clock.shift(86_400)
    with scripted.script([DO, says("Listo.")]):
        desk.write("pan")
    assert abs((clock.now() - got[0].now).total_seconds()) < 60
    assert (got[0].chat_key, rows) == (str(desk.conversation().pk), [desk.conversation()])


@pytest.mark.parametrize("end", [SystemExit, CancelledError])
@pytest.mark.parametrize("effects", ["none", "database", "external"])
def test_a_handler_that_ends_its_thread_ends_no_turn(
    desk: Desk, use: Callable[..., None], effects: str, end: type[BaseException]
) -> None:
    def work(args: Thing, ctx: ToolContext) -> None:
        raise end

    use(work, effects=effects)
    with scripted.script([DO, says("Perdón.")]):
        assert desk.write("pan") == ["Perdón."]
    assert call().state == ("unknown" if effects == "external" else "failed")
