"""What the Cloud API brings besides messages: edits, deletions, staff's own phone, new numbers; and what it shows."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from aitools import clock, leases
from aitools.channels.whatsapp import WhatsAppCloud
from aitools.models import BotProfile, Conversation, InboundEvent, Mode, ModelEndpoint, PendingConfirmation
from aitools.providers import scripted
from aitools.providers.scripted import asks, says
from aitools.tools import registry
from aitools.types import UserText
from tests.aitools import desk as parts
from tests.aitools.desk import Desk, things
from tests.wire.files import OGG, File
from tests.wire.speech import speech_api
from tests.wire.vendors import API_KEY
from tests.wire.whatsapp import (
    GraphApi,
    buttons_of,
    envelope,
    message,
    press,
    signed_post,
)

ANA, NEW_NUMBER, USER_ID = "12025550141", "12025550142", "US.3000000000000000001"
MAKE = asks(("make", {"name": "pan", "count": 2}))


@dataclass
class Phone:
    """Ana's phone, and all that she gets on it."""

    desk: Desk
    graph: GraphApi
    client: Client
    seen: int = field(default=0)

    def gets(self, body: Any) -> list[str]:
        """Meta tells the desk, the desk works; what came to the phone since the last time."""
        self.tells(body)
        self.desk.drain()
        return self.new()

    def tells(self, body: Any) -> None:
        """Meta tells the desk, which only stores it."""
        assert signed_post(self.client, body).status_code == 200

    def new(self) -> list[str]:
        texts = self.graph.texts
        seen, self.seen = self.seen, len(texts)
        return texts[seen:]

    def writes(self, text: str, sender: str = ANA, **fields: Any) -> list[str]:
        return self.gets(message(sender, text={"body": text}, **fields))

    def presses(self, title: str, of: int = -1) -> list[str]:
        """A tap on a button of the newest message of ours, or of an older one."""
        button = next(one for one in buttons_of(self.graph.messages[of]) if one["title"] == title)
        return self.gets(press(button))


@pytest.fixture
def phone(desk: Desk, graph: GraphApi, client: Client, settings: Settings) -> Phone:
    whatsapp = {"whatsapp_cloud": "aitools.channels.whatsapp.WhatsAppCloud"}
    settings.AITOOLS_CHANNELS = {**settings.AITOOLS_CHANNELS, **whatsapp}
    desk.channel, desk.address = "whatsapp_cloud", f"+{ANA}"
    # What was sent in other tests counts for no cap.
    settings.REDIS_PREFIX = f"{settings.REDIS_PREFIX}{uuid.uuid4()}:"
    return Phone(desk, graph, client)


def edit(original: str, text: str) -> Any:
    return message(ANA, edit={"original_message_id": original, "message": {"type": "text", "text": {"body": text}}})


def revoke(original: str) -> Any:
    return message(ANA, revoke={"original_message_id": original})


def changed(**change: str) -> Any:
    """A system message: never with contacts."""
    return envelope(messages=[{"from": ANA, "id": "wamid.changed", "type": "system", "system": change}])


def hidden(text: str, user_id: str = USER_ID, phone: str = "") -> Any:
    """From a person who hides the number, or shows it beside the user id."""
    body = message(phone, text={"body": text})
    value = body["entry"][0]["changes"][0]["value"]
    value["contacts"] = [{"profile": {"name": "Ana"}, "user_id": user_id}]
    value["messages"][0]["from_user_id"] = user_id
    return body


class TestReadMarks:
    def test_the_newest_message_is_marked_once_when_a_turn_starts(self, phone: Phone) -> None:
        with scripted.script([says("¡Hola!")]):
            phone.tells(message(text={"body": "hola"}, id="wamid.1"))
            assert phone.gets(message(text={"body": "¿hay pan?"}, id="wamid.2")) == ["¡Hola!"]

        assert phone.graph.read == ["wamid.2"]

    def test_a_press_is_marked_before_the_work_it_starts(self, phone: Phone) -> None:
        with scripted.script([MAKE, says("Listo.")]):
            phone.writes("dos panes")
            phone.presses("Sí")

        assert len(phone.graph.read) == 2

    @pytest.mark.parametrize("fault", [RuntimeError("a bug of ours"), TimeoutError()])
    def test_a_mark_that_fails_stops_nothing(
        self, fault: Exception, phone: Phone, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def failing(*_arguments: str) -> None:
            raise fault

        monkeypatch.setattr(WhatsAppCloud, "attend", failing)
        with scripted.script([says("¡Hola!")]):
            assert phone.writes("hola") == ["¡Hola!"]

    def test_nothing_is_marked_where_a_person_answers(self, phone: Phone) -> None:
        with scripted.script([says("¡Hola!")]):
            phone.writes("hola")
        Conversation.objects.update(mode="human")
        phone.writes("¿hay alguien?")

        assert len(phone.graph.read) == 1


class TestButtons:
    def test_a_question_has_buttons_and_no_hint(self, phone: Phone) -> None:
        with scripted.script([MAKE]):
            (question,) = phone.writes("dos panes")

        assert question.endswith("¿Confirmas?")
        assert [button["title"] for button in buttons_of(phone.graph.messages[-1])] == ["Sí", "No"]

    def test_a_question_too_long_for_buttons_comes_in_parts_with_buttons_under_the_last(
        self, phone: Phone, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        long = replace(parts.MAKE, confirm_lines=lambda *_: [f"{n} × pan" for n in range(150)])
        monkeypatch.setitem(registry._tools, "make", long)
        with scripted.script([MAKE, says("Listo.")]):
            asked = phone.writes("muchos panes")
            # The second part waits until Meta has delivered the first.
            asked += phone.gets(phone.graph.status(phone.graph.messages[-1]["id"], "delivered"))
            assert len(asked) == 2
            assert [bool(buttons_of(sent)) for sent in phone.graph.messages] == [False] * (len(asked) - 1) + [True]
            assert phone.presses("Sí") == ["Listo."]

        assert things()

    def test_a_second_tap_runs_nothing_and_is_told_so(self, phone: Phone) -> None:
        with scripted.script([MAKE, says("Listo.")]):
            phone.writes("dos panes")
            phone.presses("Sí")
        again = phone.presses("Sí", of=0)

        assert len(things()) == 1
        assert len(again) == 1

    def test_a_tap_on_a_replaced_question_answers_only_that_one(self, phone: Phone) -> None:
        other = asks(("make", {"name": "café", "count": 1}))
        with scripted.script([MAKE, other, says("Listo.")]):
            phone.writes("dos panes")
            phone.writes("mejor un café")
            assert phone.presses("Sí", of=0) == ["Esa pregunta ya quedó resuelta."]
            assert things() == []
            phone.presses("Sí", of=1)

        assert [name.split()[0] for name in things()] == ["café"]

    def test_in_human_mode_a_late_tap_is_not_answered(self, phone: Phone) -> None:
        with scripted.script([MAKE, says("Listo.")]):
            phone.writes("dos panes")
            phone.presses("Sí")
        Conversation.objects.update(mode="human")

        assert phone.presses("Sí", of=0) == []


class TestStaffsOwnPhone:
    def test_what_staff_write_there_silences_the_bot(self, phone: Phone) -> None:
        with scripted.script([says("¡Hola!")]):
            phone.writes("hola")
        echo = {"from": "12025550177", "to": ANA, "id": "wamid.e", "type": "text", "text": {"body": "Te atiendo yo"}}
        phone.tells(envelope("smb_message_echoes", message_echoes=[echo]))

        assert phone.writes("gracias") == []
        conversation = phone.desk.conversation()
        assert conversation.mode == "human"
        assert conversation.inbound.get(kind="echo").text == "Te atiendo yo"

    def test_it_stops_the_question_that_waits(self, phone: Phone) -> None:
        with scripted.script([MAKE]):
            phone.writes("dos panes")
        echo = {"from": "12025550177", "to": ANA, "id": "wamid.e", "type": "text", "text": {"body": "Te atiendo yo"}}
        phone.tells(envelope("smb_message_echoes", message_echoes=[echo]))

        phone.presses("Sí")
        assert things() == []


class TestEdits:
    def test_an_edit_of_what_nobody_read_takes_its_place(self, phone: Phone) -> None:
        phone.tells(message(text={"body": "quiero 2"}, id="wamid.1"))
        phone.tells(message(text={"body": "de chocolate"}, id="wamid.2"))
        with scripted.script([says("Bien.")]) as script:
            assert phone.gets(edit("wamid.1", "quiero 3")) == ["Bien."]

        assert phone.desk.turn().text == "de chocolate\nquiero 3"
        assert len(script.calls) == 1

    def test_an_edit_of_what_was_answered_is_new_talk_marked_as_an_edit(self, phone: Phone) -> None:
        with scripted.script([says("Son dos."), says("Son tres.")]):
            phone.writes("que sean 2", id="wamid.1")
            assert phone.gets(edit("wamid.1", "que sean 3")) == ["Son tres."]

        assert phone.desk.turn().text == "✏️ que sean 3"
        assert InboundEvent.objects.get(provider_id="wamid.1").text == "que sean 2"

    def test_an_edit_while_a_worker_has_the_message_is_new_talk(self, phone: Phone) -> None:
        phone.tells(message(text={"body": "que sean 2"}, id="wamid.1"))
        claim = leases.claim(phone.desk.conversation().pk)
        assert claim is not None
        phone.tells(edit("wamid.1", "que sean 3"))

        unread = InboundEvent.objects.filter(seq__gt=0).order_by("seq").values_list("text", flat=True)
        assert list(unread) == ["que sean 2", "✏️ que sean 3"]

    def test_an_edit_never_says_yes_to_a_question_that_came_after_it(self, phone: Phone) -> None:
        with scripted.script([MAKE, says("¿Cómo?")]):
            phone.writes("dos panes", id="wamid.1")
            phone.gets(edit("wamid.1", "sí"))

        assert things() == []

    def test_an_edit_to_yes_is_said_when_it_is_edited(self, phone: Phone) -> None:
        """What was edited came in time; the yes did not."""
        with scripted.script([MAKE]):
            phone.writes("dos panes")
            phone.tells(message(text={"body": "mmm"}, id="wamid.1"))
            clock.shift(121)
            phone.gets(edit("wamid.1", "sí"))

        assert things() == []

    @pytest.mark.parametrize("was_read", [True, False])
    def test_an_edit_to_a_reset_resets(self, was_read: bool, phone: Phone) -> None:
        with scripted.script([says("Bien.")] if was_read else []):
            phone.tells(message(text={"body": "quiero 2"}, id="wamid.1"))
            if was_read:
                phone.desk.drain()
                phone.new()
            assert phone.gets(edit("wamid.1", "/reset")) == ["Listo, empezamos de nuevo. ¿Qué te gustaría?"]

        assert not phone.desk.conversation().has_unread

    def test_an_edit_told_twice_is_one(self, phone: Phone) -> None:
        phone.tells(message(text={"body": "quiero 2"}, id="wamid.1"))
        body = edit("wamid.1", "quiero 3")
        for _ in range(2):
            phone.tells(body)
        with scripted.script([says("Bien.")]):
            phone.desk.drain()

        assert phone.desk.turn().text == "quiero 3"

    def test_an_edit_of_somebody_elses_message_changes_only_ones_own_talk(self, phone: Phone) -> None:
        phone.tells(message(NEW_NUMBER, text={"body": "soy otra"}, id="wamid.other"))
        phone.tells(edit("wamid.other", "hackeado"))

        assert InboundEvent.objects.get(provider_id="wamid.other").text == "soy otra"


class TestDeletions:
    def test_the_only_unread_message_is_withdrawn(self, phone: Phone) -> None:
        phone.tells(message(text={"body": "uy"}, id="wamid.1"))
        assert phone.gets(revoke("wamid.1")) == []

        conversation = phone.desk.conversation()
        assert not conversation.has_unread
        assert conversation.wake_at is None
        assert InboundEvent.objects.get(provider_id="wamid.1").text == ""

    @pytest.mark.parametrize("gone", ["1", "2", "3"])
    def test_one_of_several_is_withdrawn_and_the_rest_is_answered_once(self, gone: str, phone: Phone) -> None:
        for text in ("1", "2", "3"):
            phone.tells(message(text={"body": text}, id=f"wamid.{text}"))
        with scripted.script([says("Bien."), says("Otra vez.")]):
            assert phone.gets(revoke(f"wamid.{gone}")) == ["Bien."]
            assert phone.desk.turn().text == "\n".join(text for text in ("1", "2", "3") if text != gone)
            assert phone.writes("y más") == ["Otra vez."]

        assert not phone.desk.conversation().has_unread

    def test_what_was_read_stays_read(self, phone: Phone) -> None:
        with scripted.script([MAKE, says("Listo.")]):
            phone.writes("dos panes", id="wamid.1")
            assert phone.gets(revoke("wamid.1")) == []
            assert phone.presses("Sí") == ["Listo."]

        assert InboundEvent.objects.get(provider_id="wamid.1").text == "dos panes"


class TestNewAddresses:
    def test_a_new_number_goes_on_in_the_same_conversation(self, phone: Phone) -> None:
        with scripted.script([says("¡Hola!"), says("Sigo aquí.")]) as script:
            phone.writes("hola")
            phone.tells(changed(type="user_changed_number", wa_id=NEW_NUMBER))
            phone.writes("ya cambié de número", sender=NEW_NUMBER)

        conversation = Conversation.objects.get()
        assert (conversation.address, conversation.phone) == (f"+{NEW_NUMBER}", f"+{NEW_NUMBER}")
        assert phone.graph.messages[-1]["to"] == f"+{NEW_NUMBER}"
        assert len(script.calls[1].messages) == 3

    def test_who_wrote_from_the_new_number_first_keeps_both_conversations(self, phone: Phone) -> None:
        with scripted.script([says("uno"), says("dos"), says("tres")]):
            phone.writes("hola")
            phone.writes("hola", sender=NEW_NUMBER)
            phone.tells(changed(type="user_changed_number", wa_id=NEW_NUMBER))
            assert phone.writes("sigo", sender=NEW_NUMBER) == ["tres"]

        assert Conversation.objects.count() == 2

    def test_who_gets_the_old_number_next_hears_nothing_of_what_was_said(self, phone: Phone) -> None:
        with scripted.script([MAKE, says("hola"), says("¿Qué quieres?")]) as script:
            phone.writes("un pan")
            phone.writes("hola", sender=NEW_NUMBER)
            phone.tells(changed(type="user_changed_number", wa_id=NEW_NUMBER))
            assert phone.writes("sí") == ["¿Qué quieres?"]

        assert PendingConfirmation.objects.get().state == "cancelled"
        assert [message.text for message in script.calls[-1].messages] == ["sí"]

    def test_the_shop_is_told_of_the_new_address(self, phone: Phone, settings: Settings) -> None:
        settings.AITOOLS_ADDRESS_CHANGED = "tests.aitools.channels.test_whatsapp_talk.note"
        TOLD.clear()
        with scripted.script([says("¡Hola!")]):
            phone.writes("hola")
        phone.tells(changed(type="user_changed_number", wa_id=NEW_NUMBER))

        (told,) = TOLD
        assert told == ("whatsapp_cloud", f"+{ANA}", f"+{NEW_NUMBER}")

    def test_a_changed_identity_key_changes_nothing(self, phone: Phone) -> None:
        with scripted.script([says("¡Hola!")]):
            phone.writes("hola")
        phone.tells(changed(type="customer_identity_changed"))

        assert Conversation.objects.get().address == f"+{ANA}"

    def test_system_messages_are_never_given_to_the_model(self, phone: Phone) -> None:
        assert phone.gets(changed(type="user_changed_number", wa_id=NEW_NUMBER)) == []

    def test_who_hides_the_number_later_is_still_the_same(self, phone: Phone) -> None:
        with scripted.script([says("¡Hola!"), says("Otra vez.")]):
            phone.gets(hidden("hola", phone=ANA))
            assert phone.gets(hidden("soy yo")) == ["Otra vez."]

        assert Conversation.objects.get().address == f"+{ANA}"

    @pytest.mark.parametrize("mode", [Mode.BOT, Mode.HUMAN])
    def test_a_user_id_that_comes_later_is_learned(self, phone: Phone, mode: Mode) -> None:
        with scripted.script([says(str(number)) for number in range(4 if mode == Mode.BOT else 1)]):
            phone.writes("hola")
            Conversation.objects.update(mode=mode)
            phone.gets(hidden("ahora con id", phone=ANA))
            phone.gets(hidden("y otra vez", phone=ANA))
            phone.gets(hidden("sin número"))

        assert Conversation.objects.get().address == f"+{ANA}"

    def test_a_number_that_comes_with_another_user_id_is_another_persons(
        self, phone: Phone, settings: Settings
    ) -> None:
        settings.AITOOLS_ADDRESS_CHANGED = "tests.aitools.channels.test_whatsapp_talk.note"
        TOLD.clear()
        with scripted.script([says(str(number)) for number in range(4)]) as script:
            phone.tells(hidden("soy Ana", phone=ANA))
            phone.desk.drain()
            phone.tells(hidden("soy Luis", phone=ANA, user_id="US.5"))
            phone.desk.drain()
            phone.tells(hidden("Luis, sin número", user_id="US.5"))
            phone.desk.drain()
            phone.tells(hidden("Ana, sin número"))
            phone.desk.drain()

        (told,) = TOLD
        assert told == ("whatsapp_cloud", f"+{ANA}", USER_ID)
        heard = [[one.text for one in call.messages if isinstance(one, UserText)] for call in script.calls]
        assert heard == [["soy Ana"], ["soy Luis"], ["soy Luis", "Luis, sin número"], ["Ana, sin número"]]
        assert set(Conversation.objects.values_list("address", flat=True)) == {f"+{ANA}", USER_ID}

    def test_a_number_that_goes_to_somebody_we_know_brings_them_nothing_of_who_had_it(self, phone: Phone) -> None:
        with scripted.script([says(str(number)) for number in range(3)]) as script:
            phone.gets(hidden("soy Ana", phone=ANA))
            phone.gets(hidden("soy Luis", phone=NEW_NUMBER, user_id="US.5"))
            phone.gets(hidden("soy Luis, ahora aquí", phone=ANA, user_id="US.5"))

        heard = [one.text for one in script.calls[-1].messages if isinstance(one, UserText)]
        assert heard == ["soy Luis, ahora aquí"]

    def test_who_is_known_by_user_id_is_answered_at_the_number_they_wrote_from(self, phone: Phone) -> None:
        with scripted.script([says("¡Hola!")]):
            phone.tells(hidden("hola", phone=ANA))
            phone.gets(hidden("número nuevo", phone=NEW_NUMBER))

        assert Conversation.objects.get().address == f"+{NEW_NUMBER}"
        assert phone.graph.messages[-1]["to"].removeprefix("+") == NEW_NUMBER

    def test_a_card_that_is_shared_tells_nothing_of_who_shares_it(self, phone: Phone) -> None:
        card = {"name": {"formatted_name": "Luis"}, "phones": [{"phone": f"+{NEW_NUMBER}", "wa_id": NEW_NUMBER}]}
        phone.gets(message(contacts=[card]))

        conversation = Conversation.objects.get()
        assert (conversation.address, conversation.phone, conversation.profile_name) == (f"+{ANA}", f"+{ANA}", "Ana")

    def test_who_shows_the_number_later_is_still_the_same(self, phone: Phone) -> None:
        with scripted.script([says("¡Hola!"), says("Otra vez.")]):
            phone.gets(hidden("hola"))
            assert phone.graph.messages[-1]["recipient"] == USER_ID
            assert phone.gets(hidden("soy yo", phone=ANA)) == ["Otra vez."]

        assert Conversation.objects.get().address == USER_ID

    def test_a_new_user_id_is_still_the_same_person(self, phone: Phone) -> None:
        with scripted.script([says("¡Hola!"), says("Otra vez.")]):
            phone.gets(hidden("hola", phone=ANA))
            phone.tells(changed(type="user_changed_user_id", user_id="US.4"))
            assert phone.gets(hidden("soy yo", user_id="US.4")) == ["Otra vez."]

        assert Conversation.objects.get().address == f"+{ANA}"

    def test_another_user_id_is_another_person(self, phone: Phone) -> None:
        with scripted.script([says("¡Hola!"), says("¡Hola!")]):
            phone.gets(hidden("hola", phone=ANA))
            phone.gets(hidden("hola", user_id="US.5"))

        assert Conversation.objects.count() == 2


TOLD: list[tuple[str, str, str]] = []


def note(channel: str, old: str, new: str) -> None:
    TOLD.append((channel, old, new))


class TestOrder:
    def test_notifications_that_overtake_each_other_are_read_as_they_were_written(self, phone: Phone) -> None:
        wrote = int(clock.now().timestamp())
        with scripted.script([says("Dos panes, para hoy.")]) as script:
            phone.tells(message(text={"body": "pero para hoy"}, timestamp=str(wrote)))
            phone.gets(message(text={"body": "dos panes"}, timestamp=str(wrote - 3)))

        assert script.calls[0].messages[-1] == UserText("dos panes\npero para hoy")
        assert InboundEvent.objects.get(seq=1).text == "pero para hoy"


class TestLocations:
    def test_a_place_on_earth_is_told_with_what_the_shop_knows_of_it(self, phone: Phone, settings: Settings) -> None:
        settings.AITOOLS_PLACES = "tests.aitools.test_locations.described"
        place = {"latitude": 4.6, "longitude": -74.08, "name": "Parque", "address": "Carrera 7\n[x]"}
        with scripted.script([says("A dos cuadras.")]) as script:
            phone.gets(message(location=place))

        asked = script.calls[0].messages[-1]
        assert asked == UserText(
            "[location] the customer shared a place: Parque, Carrera 7 [x]\n"
            "[location] es: near 4.6 -74.08\n[location] open"
        )
        assert phone.desk.turn().text == asked.text


def test_a_voice_note_from_whatsapp_is_fetched_heard_and_answered(
    phone: Phone, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EAR_API_KEY", API_KEY)
    kept = phone.graph.keep(File(OGG, "audio/ogg; codecs=opus"))
    with speech_api(["dos panes por favor"]) as speech, scripted.script([says("Van dos.")]) as script:
        ear = {"kind": "openai", "base_url": speech.base_url, "key_variable": "EAR_API_KEY"}
        endpoint = ModelEndpoint.objects.create(name="Ear", transcription_model="whisper-1", **ear)
        BotProfile.objects.update(voice_endpoint=endpoint)
        sound = {"id": kept, "mime_type": "audio/ogg; codecs=opus", "voice": True}
        assert phone.gets(message(ANA, audio=sound)) == ["Van dos."]
    assert script.calls[0].messages[-1] == UserText("[voice note] dos panes por favor")
    assert speech.received[0]["file"] == OGG
