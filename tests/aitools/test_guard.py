"""A reply may state only what results and facts back. The shop here is a clinic: the engine knows no bakery."""

from __future__ import annotations

import json
from collections.abc import Sequence
from decimal import Decimal

import pytest
from babel.numbers import format_currency
from hypothesis import given
from hypothesis import strategies as st

from aitools.guard import Check, Done, Evidence, Sentence, guard_for
from aitools.guard.plain import as_shown
from aitools.loop import CallStatus, CallView, StepView, Transcript
from aitools.tools import Tool, ToolSet
from aitools.types import AssistantText, Json, Message, ModelReply, ToolRequest, UserText
from bench import score_guard

OBJECT = {"type": "object"}
TOOLS = ToolSet(
    [
        Tool(name="prices", description="Prices.", handler=lambda args, ctx: None, schema=OBJECT),
        Tool(
            name="book", description="Books.", handler=lambda args, ctx: None, schema=OBJECT, effects="database",
            acts=("create",),
        ),
        Tool(
            name="call_off", description="Cancels.", handler=lambda args, ctx: None, schema=OBJECT, effects="database",
            acts=("cancel",),
        ),
        Tool(name="webhook", description="Any.", handler=lambda args, ctx: None, schema=OBJECT, effects="external"),
    ]
)  # fmt: skip
PRICES = {"items": [{"name": "Limpieza dental", "price": "85000"}, {"name": "Radiografía", "price": "40000"}]}
BOOKED = {"visit": "D-4", "state": "booked", "total": "85000"}


def call(name: str, content: Json, *, done: bool = True, is_error: bool = False) -> CallView:
    text = content if isinstance(content, str) else json.dumps(content)
    return CallView("1", ToolRequest(name, {}), CallStatus.SETTLED, text, is_error=is_error, done=done)


def said(
    text: str,
    *calls: CallView,
    facts: dict[str, Json] | None = None,
    talk: Sequence[Message] = (),
    remembered: Sequence[Done] = (),
    check: Check | None = None,
) -> str:
    """What the guard finds in a reply after these calls."""
    guard = guard_for(facts or {}, talk, remembered, TOOLS, check)
    return guard(text, Transcript((StepView(ModelReply(), calls),)))


@pytest.mark.parametrize("name", score_guard.FILES)
def test_it_fires_on_one_in_a_hundred_honest_replies_at_most_and_catches_nearly_all_dishonest_ones(name: str) -> None:
    fired, caught = score_guard.rates(list(score_guard.score(score_guard.CASES / name)))
    assert fired <= score_guard.MOST_FALSE_ALARMS
    assert caught >= score_guard.FEWEST_CAUGHT


def test_the_corpus_is_large_enough_to_mean_something() -> None:
    cases = [one for name in score_guard.FILES for one in score_guard.read(score_guard.CASES / name)]
    assert sum(case["label"] == "honest" for case in cases) >= 330
    assert sum(case["label"] == "dishonest" for case in cases) >= 180


def test_what_a_result_says_may_be_said_in_its_own_words() -> None:
    for name, result in score_guard.worlds()["results"].items():
        words = result["content"].get("say", "")
        view = call("webhook", result["content"], done=result["done"], is_error=result["is_error"])
        assert said(words, view) == "", name


class TestAmounts:
    @pytest.mark.parametrize(
        "words",
        [
            "La limpieza dental cuesta $85.000.",
            "La limpieza dental cuesta 85,000 pesos.",
            "La limpieza dental vale 85 mil.",
            "La limpieza dental vale ochenta y cinco mil pesos.",
            "Limpieza dental: COP 85000\nRadiografía: COP 40000",
        ],
    )
    def test_may_be_written_in_any_way(self, words: str) -> None:
        assert said(words, call("prices", PRICES)) == ""

    def test_that_no_result_gives_are_unbacked(self) -> None:
        assert said("La limpieza dental cuesta $58.000.", call("prices", PRICES)) == "the amount $58.000"

    @pytest.mark.parametrize(
        "words",
        [
            "₡500",
            "Bs. 50",
            "50 Bs",
            "S/ 20",
            "Son S/. 20.",
            "₲ 7.000",
            "Son cinco mil.",
            "¡Serían 4800!",
            "That's 4800.",
        ],
    )
    def test_are_read_in_every_currency_and_where_a_sentence_only_states_one(self, words: str) -> None:
        assert said(words).startswith("the amount")

    def test_are_no_other_numbers_that_something_is(self) -> None:
        assert said("Los últimos dígitos son 4821. Son 2500 pacientes. S/N. Vamos a las 8.") == ""

    def test_of_one_item_are_unbacked_for_another(self) -> None:
        assert said("La radiografía cuesta $85.000.", call("prices", PRICES)) == "the amount $85.000"

    def test_are_not_added_up(self) -> None:
        assert said("Las dos cosas son $125.000.", call("prices", PRICES)) == "the amount $125.000"

    def test_of_a_line_are_no_total(self) -> None:
        quote = {"lines": [{"name": "Limpieza", "line_total": "85000"}, {"name": "Rayos", "line_total": "40000"}]}
        assert said("El total es $40.000.", call("prices", {**quote, "total": "125000"})) == "the amount $40.000"

    def test_may_come_from_facts_and_from_earlier_words_of_ours(self) -> None:
        assert said("Son $9.000.", facts={"deposit": "9000"}) == ""
        assert said("Son $9.000.", talk=[AssistantText("El depósito es de $9.000.")]) == ""

    def test_the_customer_named_are_theirs_and_no_price_of_ours(self) -> None:
        talk = [UserText("tengo 50.000")]
        assert said("¿Pagas con $50.000?", talk=talk) == ""
        assert said("No, no cuesta $50.000.", talk=talk) == ""
        assert said("Sí, cuesta $50.000.", talk=talk) == "the amount $50.000"

    @pytest.mark.parametrize(
        "words",
        [
            "Abrimos de 7.00 a 19.30.",
            "Estamos en la Calle 12 #34-56, piso 3.",
            "Llama al 601 555 0142.",
            "Es el 28/08/2026 a las 4:30 p. m.",
            "La cita D-4 dura 45 minutos.",
            "Pesa 1.200 g y cubre el 100 %.",
            "Atendemos a más de 1.000 pacientes.",
            "La más cercana es Sur (1,2 km), a unos 1.250 metros; Norte: 15,4 km.",
            "The closest is 1.25 km away, the other one 1,234.5 km.",
        ],
    )
    def test_are_told_from_hours_addresses_dates_and_counts(self, words: str) -> None:
        assert said(words, facts={"visit": "D-4"}) == ""

    @given(
        cents=st.integers(min_value=100, max_value=99_999_999),
        written=st.sampled_from(
            [("es_CO", "COP"), ("es_MX", "MXN"), ("en_US", "USD"), ("es_ES", "EUR"), ("es_AR", "ARS")]
        ),
    )
    def test_are_read_as_every_locale_writes_them(self, cents: int, written: tuple[str, str]) -> None:
        locale, currency = written
        amount = Decimal(cents) / 100
        shown = format_currency(amount, currency, locale=locale, currency_digits=False, format=None)
        reply = f"El precio es {shown.replace(chr(160), ' ').replace(chr(8239), ' ')}."
        kept = Decimal(str(amount)).quantize(Decimal("0.01"))
        assert said(reply, facts={"price": str(kept)}) == ""
        assert said(reply, facts={"price": str(kept + 1)}) != ""


class TestFormatting:
    @pytest.mark.parametrize(
        "words",
        [
            "Tu cita quedó **registrada**.",
            "Tu cita quedó *registrada*.",
            "Ya **quedó** registrada.",
            "**Regis**tré tu cita.",
            "He *cancelado* tu cita.",
            "Tu cita quedó _registrada_.",
            "Tu cita quedó ~registrada~.",
            "Tu cita quedó `registrada`.",
            "Tu cita quedó \\*registrada\\*.",
            "Your appointment is **confirmed**.",
            "I've **booked** it.",
            "Tu cita quedó «registrada».",
            "Tu cita quedó “registrada”.",
            'Tu cita quedó "registrada".',
            "Tu cita quedó 'registrada'.",
            "Tu cita quedó <b>registrada</b>.",
            "Tu cita quedó regis<!-- -->trada.",
            "Tu cita quedó [registrada](https://visits.test/4).",
            "Tu cita qued&oacute;&nbsp;registrada.",
            "Tu cita quedó  registrada.",
            "Tu cita quedó\u00a0registrada.",
            "Tu cita quedó regis\u200btrada.",
            "Tu cita quedó regis\u00adtrada.",
            "Tu cita quedó ✅ registrada.",
            "Tu cita quedó \U0001d42b\U0001d41egistrada.",
        ],
    )
    def test_hides_no_claim(self, words: str) -> None:
        assert said(words).startswith("the claim")
        assert said(words, call("webhook", "Listo.")) == ""

    @pytest.mark.parametrize("shown", ["*$85.000*", "<b>$85.000</b>", "$**85.000**", "$\u00a085.000", "`85.000` pesos"])
    def test_changes_no_amount(self, shown: str) -> None:
        words = f"La limpieza dental cuesta {shown}."
        assert said(words, call("prices", PRICES)) == ""
        assert said(words.replace("85", "58"), call("prices", PRICES)).startswith("the amount")

    def test_of_what_results_and_the_customer_say_makes_no_difference_either(self) -> None:
        assert said("Tu cita quedó registrada.", call("prices", "Tu cita **quedó** registrada.")) == ""
        assert said("¿Pagas con *$50.000*?", talk=[UserText("tengo _50.000_")]) == ""

    def test_leaves_a_quotation_of_more_words_and_separate_lines_as_they_are(self) -> None:
        assert as_shown("Di «hola mundo», don't\n_dos_<br>2*3  y «tres»") == "Di «hola mundo», don't\ndos\n2×3 y tres"

    @pytest.mark.parametrize("piece", ["<", "<a", "<!--", "[a", "[x](", "*_", "'a"])
    def test_in_a_flood_does_no_harm(self, piece: str) -> None:
        assert len(as_shown(piece * 100_000)) <= len(piece) * 100_000


class TestOffers:
    @pytest.mark.parametrize(
        "words",
        ["Te hago 10 % de descuento.", "Hoy hay 2x1.", "La consulta es gratis.", "It's on the house.", "Half price!"],
    )
    def test_need_a_result_that_makes_them(self, words: str) -> None:
        assert said(words).startswith("the offer")

    def test_a_result_made_may_be_told(self) -> None:
        rules = call("prices", "Los lunes hay 10 % de descuento. La primera consulta es gratis.")
        assert said("Los lunes tienes 10 % de descuento y la primera consulta es gratis.", rules) == ""

    def test_denied_or_only_asked_about_are_none(self) -> None:
        assert said("No tenemos descuentos, nada es gratis ni hay 2x1. Feel free to ask.") == ""


class TestClaims:
    @pytest.mark.parametrize(
        "words",
        [
            "Ya registré tu cita.",
            "Tu cita quedó registrada.",
            "Your appointment has been booked.",
            "I've booked it for you!",
            "Cita confirmada ✅",
        ],
    )
    def test_need_a_call_that_did_it(self, words: str) -> None:
        assert said(words).startswith("the claim")
        assert said(words, call("book", BOOKED)) == ""

    @pytest.mark.parametrize(
        "outcome",
        [
            call("book", {"executed": False, "reason": "denied"}, done=False),
            call("book", {"executed": False, "reason": "user_replied"}, done=False),
            call("book", {"error": "It broke."}, done=False, is_error=True),
            call("book", {"error": "No such day."}),
            call("prices", PRICES),
            call("call_off", {"visit": "D-4", "state": "cancelled"}),
            CallView("1", ToolRequest("book", {})),
        ],
    )
    def test_are_not_backed_by_calls_that_failed_wait_only_read_or_did_something_else(self, outcome: CallView) -> None:
        assert said("Tu cita quedó registrada.", outcome).startswith("the claim")

    def test_are_backed_of_any_kind_by_a_tool_that_does_not_say_how_it_acts(self) -> None:
        assert said("Tu cita quedó registrada y ya avisé al doctor.", call("webhook", "ok")) == ""

    def test_are_backed_by_remembered_successes_unless_the_same_just_failed(self) -> None:
        earlier = [Done("book", json.dumps(BOOKED))]
        assert said("Sí, tu cita quedó registrada.", remembered=earlier) == ""
        failed = call("book", {"error": "It broke."}, done=False, is_error=True)
        assert said("Sí, tu cita quedó registrada.", failed, remembered=earlier).startswith("the claim")

    @pytest.mark.parametrize(
        "words",
        [
            "Ya cobré tu tarjeta.",
            "Te cobré la consulta.",
            "Tu tarjeta fue cobrada.",
            "Your card has been charged.",
            "Ya tomé nota de tu cita.",
            "Ya tome nota de tu cita.",
            "Hemos tomado nota de tu cita.",
        ],
    )
    def test_of_charging_and_noting_need_a_call(self, words: str) -> None:
        assert said(words).startswith("the claim")
        assert said(words, call("webhook", "Listo.")) == ""

    @pytest.mark.parametrize(
        "words", ["No te cobré nada.", "¿Quiere que cobre tu tarjeta?", "Cuando confirmes, tomo nota de tu cita."]
    )
    def test_of_charging_and_noting_may_be_denied_asked_and_offered(self, words: str) -> None:
        assert said(words) == ""

    def test_after_a_duplicate_may_say_it_was_done_but_not_that_it_was_done_again(self) -> None:
        again = {"executed": False, "reason": "duplicate", "previous": {"result": json.dumps(BOOKED), "secondsAgo": 9}}
        repeated = call("book", again, done=False)
        assert said("Tu cita ya estaba registrada hace un momento.", repeated) == ""
        assert said("Registré otra cita igual.", repeated).startswith("the claim")

    def test_of_how_something_stands_are_backed_by_a_record_in_that_state(self) -> None:
        facts: dict[str, Json] = {"visits": [{"visit": "D-4", "state": "booked"}]}
        assert said("Tu cita D-4 está confirmada.", facts=facts) == ""
        assert said("Tu cita D-4 está cancelada.", facts=facts).startswith("the claim")
        assert said("Tu cita D-5 está confirmada.", facts=facts).startswith("the claim")

    @pytest.mark.parametrize(
        "words",
        [
            "¿Quieres que la registre?",
            "¿Ya tienes una cita registrada?",
            "Cuando confirmes, queda registrada.",
            "Si quieres, la cancelo.",
            "No pude registrarla; no quedó registrada.",
            "Aún no está confirmada.",
            "Would you like me to book it?",
            "Once it's booked, you'll get a number.",
            "I haven't booked anything yet.",
            "Dices que la cancelaste ayer.",
            "Los pedidos confirmados no se cambian.",
            "We updated our hours.",
        ],
    )
    def test_are_no_questions_offers_denials_and_words_of_others(self, words: str) -> None:
        assert said(words) == ""

    def test_before_a_question_in_the_same_sentence_still_count(self) -> None:
        assert said("Your appointment is confirmed, anything else?").startswith("the claim")
        assert said("No te preocupes, ya registré tu cita, ¿algo más?").startswith("the claim")

    def test_of_another_one_than_the_call_did_are_unbacked(self) -> None:
        facts: dict[str, Json] = {"visits": [{"visit": "D-4", "state": "booked"}, {"visit": "D-5", "state": "booked"}]}
        gone = call("call_off", {"visit": "D-4", "state": "cancelled"})
        assert said("Cancelé la cita D-4; sigue la D-5.", gone, facts=facts) == ""
        assert said("Cancelé la cita D-5.", gone, facts=facts).startswith("the claim")

    def test_with_an_invented_number_are_found(self) -> None:
        assert said("Tu cita es la D-9.", call("book", BOOKED)) == "the number D-9"


def test_a_shop_adds_its_own_kind_of_claim() -> None:
    def no_cures(sentence: Sentence, evidence: Evidence) -> str:
        return "the cure" if "cura" in sentence.folded and not evidence.says("cura") else ""

    assert said("Esto lo cura todo.", check=no_cures) == "the cure"
    assert said("Esto lo cura todo.", call("prices", "Cura."), check=no_cures) == ""
