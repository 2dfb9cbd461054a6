"""What a model is sent: the window of earlier talk, and this turn."""

from __future__ import annotations

from collections.abc import Sequence

from aitools.loop import CallModel, Transcript
from aitools.notes import instructions
from aitools.transcripts import check_pairs, messages_of
from aitools.types import AssistantText, Message, ModelRequest, UserText
from aitools.work import Work

#: A customer's message is cut here for the model; the row keeps all of it.
MAX_MESSAGE_CHARACTERS = 4000
#: A token is about so many characters in Spanish and English.
CHARACTERS_PER_TOKEN = 4


def request(work: Work, so_far: Transcript, action: CallModel) -> ModelRequest:
    """Everything a provider needs; the window bounds it, whatever the age of the chat.

    Raises IllPaired rather than send a call without its one result.
    """
    profile, rows = work.profile, work.turn_rows
    done = [(call.name, call.result) for call in work.memory.with_turn(rows.calls).done]
    note = profile.note if profile.note_on else None
    stable, system = instructions(work.prompt, profile.persona, work.tools, done, note)
    messages = messages_of(talk(work), so_far, action.nudge)
    check_pairs(messages)
    return ModelRequest(
        system=system,
        messages=messages,
        tools=() if action.without_tools else work.tools.specs(),
        language=work.language,
        facts=work.prompt.facts,
        stable=stable,
    )


def talk(work: Work) -> list[Message]:
    """Earlier talk within the window, then what the customer wrote in this turn."""
    return [*window(work.earlier, work.profile.history_tokens), UserText(cut(work.turn_rows.turn.text))]


def window(earlier: Sequence[tuple[str, str]], tokens: int) -> list[Message]:
    """Earlier turns as plain talk, oldest first, whole turns only; ``earlier`` is newest first."""
    said: list[Message] = []
    room = tokens
    for text, reply in earlier:
        asked = cut(text)
        room -= tokens_of(asked) + tokens_of(reply)
        if room < 0:
            break
        # A turn without the customer's words (an empty message, an emptied row) would break the order of speaking.
        if asked.strip():
            said[:0] = [UserText(asked), AssistantText(reply)] if reply.strip() else [UserText(asked)]
    return said


def tokens_of(text: str) -> int:
    """A cheap estimate, never 0."""
    return len(text) // CHARACTERS_PER_TOKEN + 1


def cut(text: str) -> str:
    """What the model sees of one message of the customer's."""
    return text if len(text) <= MAX_MESSAGE_CHARACTERS else f"{text[:MAX_MESSAGE_CHARACTERS]}…"
