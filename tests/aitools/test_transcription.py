"""Voice notes are heard once before a turn reads them, count as typed, and break nothing when they can't be heard."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

import pytest
from django.db import connection

from aitools import clock, mediamarks, retention, staffing, transcription
from aitools.bursts import Burst
from aitools.channels.base import Fetched, Unfetched
from aitools.models import BotProfile, InboundEvent, ModelEndpoint
from aitools.providers import scripted
from aitools.providers.scripted import asks, says
from aitools.types import Json, ModelReply, ModelRequest, UserText
from tests.aitools.desk import Desk, PlainChannel, things
from tests.wire.files import OGG
from tests.wire.speech import SpeechApi, speech_api
from tests.wire.vendors import API_KEY, DROPPED, SERVER_ERROR, Fault

NOTE = Fetched(OGG, "audio/ogg")
LONG = Fetched(OGG[:6] + (48_000 * 301).to_bytes(8, "little") + OGG[14:], "audio/ogg")
HEAVY = Fetched(b"ID3" + b"\x00" * transcription.MOST_BYTES, "audio/mpeg")
NOT_HEARD = "Sorry, I could not make out your voice note. Please write to me what you need."
NO_EAR = "I can't listen to voice notes. Please write to me what you need."
PAN = asks(("make", {"name": "pan", "count": 2}))
SECRET_WORDS = "dos panes para mi abuela"


class Vocal(PlainChannel):
    """A channel whose vendor keeps voice notes; ``kept`` is what it has now."""

    name = "vocal"
    kept: Fetched | Unfetched = NOTE
    fetched: list[str] = []

    def fetch(self, medium: Mapping[str, Json]) -> Fetched | Unfetched:
        Vocal.fetched.append(str(medium["ref"]))
        return Vocal.kept


@pytest.fixture
def vocal(desk: Desk, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """A customer who speaks."""
    settings.AITOOLS_CHANNELS = settings.AITOOLS_CHANNELS | {"vocal": f"{__name__}.Vocal"}
    BotProfile.objects.update(language="en")
    monkeypatch.setattr(Vocal, "kept", NOTE)
    Vocal.fetched.clear()
    desk.channel = "vocal"
    return desk


@pytest.fixture
def speech(vocal: Desk, monkeypatch: pytest.MonkeyPatch) -> Iterator[SpeechApi]:
    """A model that hears, named in the profile."""
    monkeypatch.setenv("EAR_API_KEY", API_KEY)
    with speech_api() as api:
        ear = ModelEndpoint.objects.create(
            name="Ear",
            kind="openai_chat",
            model="m",
            transcription_model="whisper-1",
            base_url=api.base_url,
            key_variable="EAR_API_KEY",
        )
        BotProfile.objects.update(voice_endpoint=ear)
        yield api


def note(kind: str = "voice", **more: Json) -> dict[str, Any]:
    """The fields of a message that is one voice note."""
    medium = {"kind": kind, "mime_type": "audio/ogg", "ref": "note", "filename": None, **more}
    return {"message_kind": kind, "media": (medium,)}


def stored() -> dict[str, Json]:
    """The entry of the newest voice note."""
    media: dict[str, Json] = InboundEvent.objects.latest("id").media[0]
    return media


def told(script: scripted.Script) -> str:
    """The customer's newest words as the model got them."""
    said = script.calls[-1].messages[-1]
    assert isinstance(said, UserText)
    return said.text


def test_a_voice_note_is_read_as_its_text_and_marked(vocal: Desk, speech: SpeechApi) -> None:
    speech.lines.append(" Quiero dos panes.\n")
    with scripted.script([says("Voy.")]) as script:
        assert vocal.write("", **note()) == ["Voy."]
    assert told(script) == f"{mediamarks.VOICE} Quiero dos panes."
    assert stored()["heard"] == "Quiero dos panes."
    (form,) = speech.received
    assert (form["file"], form["filename"], form["model"]) == (OGG, b"voice.ogg", b"whisper-1")
    assert InboundEvent.objects.get().text == ""


def test_the_language_of_the_talk_is_a_hint_once_it_is_known(vocal: Desk, speech: SpeechApi) -> None:
    speech.lines.extend(["hola, quiero dos panes por favor", "y un café"])
    with scripted.script([says("Sí."), says("Sí.")]):
        vocal.write("", **note())
        vocal.write("", **note())
    assert [form.get("language") for form in speech.received] == [None, b"es"]


def test_notes_and_words_of_one_burst_are_one_message(vocal: Desk, speech: SpeechApi) -> None:
    speech.lines.extend(["two rolls", "no, three"])
    vocal.receive("hi")
    vocal.receive("", **note())
    with scripted.script([says("Three.")]) as script:
        assert vocal.write("", **note("audio")) == ["Three."]
    assert told(script) == "hi\n[voice note] two rolls\n[voice note] no, three"


def test_only_so_many_notes_are_heard_at_once(vocal: Desk, speech: SpeechApi, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcription, "MOST_NOTES", 1)
    speech.lines.append("two rolls")
    vocal.receive("", **note())
    with scripted.script([says("Two.")]) as script:
        vocal.write("", **note())
    assert told(script) == f"[voice note] two rolls\n{mediamarks.unseen('voice')}"


@pytest.mark.parametrize(
    ("kept", "lines", "why"),
    [
        (Unfetched.GONE, [], "gone"),
        (Unfetched.AWAY, [], "away"),
        (LONG, [], "too_large"),
        (HEAVY, [], "too_large"),
        (NOTE, ["  \n"], "silent"),
        (NOTE, [SERVER_ERROR], "server"),
        (NOTE, [DROPPED], "connection"),
        (NOTE, [Fault(400, "unsupported_format")], "invalid_request"),
        (NOTE, [b"<html>"], "server"),
        (NOTE, [b'{"text": null}'], "server"),
        (NOTE, [b"[]"], "server"),
    ],
)
def test_a_note_that_can_not_be_heard_is_asked_for_in_words_and_never_tried_again(
    vocal: Desk, speech: SpeechApi, monkeypatch: pytest.MonkeyPatch, kept: Any, lines: list[Any], why: str
) -> None:
    monkeypatch.setattr(Vocal, "kept", kept)
    speech.lines.extend(lines)
    assert vocal.write("", **note()) == [NOT_HEARD]
    assert stored()["unheard"] == why
    assert "heard" not in stored()
    with scripted.script([says("Hi.")]):
        vocal.write("hello")
    assert Vocal.fetched == ["note"]


def test_a_server_that_drips_holds_no_worker(vocal: Desk, speech: SpeechApi) -> None:
    ModelEndpoint.objects.filter(name="Ear").update(timeout_seconds=1)
    speech.drip = True
    speech.lines.append("x" * 200)
    assert vocal.write("", **note()) == [NOT_HEARD]
    assert stored()["unheard"] == "timeout"


def test_a_key_that_is_missing_or_wrong_is_no_reason_to_be_silent(
    vocal: Desk, speech: SpeechApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EAR_API_KEY", "wrong")
    assert vocal.write("", **note()) == [NOT_HEARD]
    assert stored()["unheard"] == "auth"


def test_without_a_model_that_hears_nothing_is_fetched(vocal: Desk) -> None:
    assert vocal.write("", **note()) == [NO_EAR]
    assert stored() == note()["media"][0]
    assert not Vocal.fetched


def test_a_fault_of_ours_costs_no_answer(vocal: Desk, speech: SpeechApi, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcription, "ending_of", None)
    assert vocal.write("", **note()) == [NOT_HEARD]
    assert stored()["unheard"] == "fault"


class Died(BaseException):
    """A worker's process ends."""


def test_a_note_that_was_heard_by_a_worker_that_died_is_heard_again(
    vocal: Desk, speech: SpeechApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_given: object) -> None:
        raise Died

    speech.lines.extend(["two rolls", "two rolls"])
    with monkeypatch.context() as mortal, suppress(Died):
        mortal.setattr(transcription, "_store", die)
        vocal.write("", **note())
    assert "heard" not in stored()
    clock.shift(600)
    with scripted.script([says("Two.")]) as script:
        assert vocal.sweep() == ["Two."]
    assert told(script) == "[voice note] two rolls"


def test_what_was_heard_after_a_person_took_over_is_left_to_that_person(vocal: Desk, speech: SpeechApi) -> None:
    def taken_over() -> str:
        staffing.take_over(vocal.conversation().pk)
        connection.close()
        return "two rolls"

    speech.lines.append(taken_over)
    assert vocal.write("", **note()) == []
    assert stored() == note()["media"][0]
    assert InboundEvent.objects.get().state == "staff"


@pytest.mark.parametrize(
    ("said", "state"),
    [("Sí.", "done"), ("¡Claro, sí!", "done"), ("No, gracias.", "declined"), ("Sí, cinco", "replied")],
)
def test_a_spoken_answer_counts_like_a_typed_one(vocal: Desk, speech: SpeechApi, said: str, state: str) -> None:
    with scripted.script([PAN]):
        vocal.write("two rolls")
    speech.lines.append(said)
    with scripted.script([says("All right.")]):
        vocal.write("", **note())
    assert vocal.calls() == [("make", state)]
    assert len(things()) == (state == "done")


def test_a_note_that_nobody_hears_is_no_answer(vocal: Desk) -> None:
    with scripted.script([PAN]):
        vocal.write("two rolls")
    with scripted.script([says("Please write yes or no.")]) as script:
        assert vocal.write("", **note()) == ["Please write yes or no."]
    assert vocal.calls() == [("make", "replied")]
    assert mediamarks.unseen("voice") in script.calls[0].messages[-1].results[0].content  # type: ignore[union-attr]


def test_a_note_that_comes_while_the_model_thinks_is_heard_before_it_asks(vocal: Desk, speech: SpeechApi) -> None:
    def meanwhile(request: ModelRequest) -> ModelReply:
        vocal.receive("", **note())
        return PAN

    speech.lines.append("no, three")
    with scripted.script([meanwhile, says("Three, then.")]) as script:
        assert vocal.write("two rolls") == ["Three, then."]
    assert "[voice note] no, three" in script.calls[-1].messages[-1].results[0].content  # type: ignore[union-attr]


def test_a_message_without_sound_costs_nothing() -> None:
    typed = Burst((InboundEvent(kind="message", text="hi"), InboundEvent(kind="press", message_kind="button")))
    transcription.hear(None, typed)  # type: ignore[arg-type]  # not even looked at


def test_what_was_said_stays_out_of_logs_and_goes_when_its_time_is_up(
    vocal: Desk, speech: SpeechApi, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    speech.lines.append(SECRET_WORDS)
    with scripted.script([says("Voy.")]):
        vocal.write("", **note())
    assert SECRET_WORDS not in caplog.text
    clock.shift(3 * 86_400)
    retention.purge(days=1)
    row = InboundEvent.objects.get()
    assert (row.media, row.text, vocal.turn().text) == ([], "", "")
