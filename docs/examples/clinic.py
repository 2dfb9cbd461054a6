"""A clinic at a console: the question is its own, and the answer is typed.

    python docs/examples/clinic.py

"yes" books, "no" does not, "stop" ends it all, and anything else goes back to the model as it was typed.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # where `aitools` lies, as long as it is not installed

from aitools.lines import arg_lines
from aitools.providers.scripted import ScriptedProvider, asks, says
from aitools.running import Decision, Question, Reply, ToolCancelled, run_tools
from aitools.tools import Tool, ToolContext
from aitools.types import AssistantStep, Json, ModelReply, ModelRequest

DOCTORS = {"gp": "Dr. Ríos", "skin": "Dr. Vega"}
SCHEMA: dict[str, Json] = {
    "type": "object",
    "properties": {"doctor": {"enum": list(DOCTORS)}, "day": {"type": "string", "format": "date"}},
    "required": ["doctor", "day"],
    "additionalProperties": False,
}


async def book(args: dict[str, str], ctx: ToolContext) -> str:
    return f"Booked: {DOCTORS[args['doctor']]}, {args['day']}."


BOOK = Tool(
    "book_visit",
    "Books a visit. Use it once the patient named a doctor and a day.",
    book,
    SCHEMA,
    confirm=True,
    effects="external",
    dedupe="args",
)


def at_the_console(question: Question) -> Decision | Reply:
    print("Please check:", *arg_lines(question.args, {"doctor": DOCTORS}), sep="\n  ")
    try:
        typed = input("yes, no, stop, or what should be different? ")
    except EOFError:  # Ctrl-D: nobody is there to answer
        print()
        return Decision.CANCELLED
    decisions = {"yes": Decision.APPROVED, "no": Decision.DENIED, "stop": Decision.CANCELLED}
    return decisions.get(typed.strip().lower(), Reply(typed))


def model(request: ModelRequest) -> ModelReply:
    """Stands in for one: it books, takes another doctor when it is told so, and says what came of it."""
    last = request.messages[-1]
    if not isinstance(last, AssistantStep):
        return asks(("book_visit", {"doctor": "gp", "day": "2026-03-10"}))
    if "Vega" in last.results[0].content and "user_replied" in last.results[0].content:
        return asks(("book_visit", {"doctor": "skin", "day": "2026-03-10"}))
    return says(f"The desk says: {last.results[0].content}")


if __name__ == "__main__":
    try:
        done = run_tools(
            "A doctor on the 10th, please", tools=[BOOK], provider=ScriptedProvider(model), confirm=at_the_console
        )
        print(done.text)
    except ToolCancelled as stopped:
        print(f"Stopped before {stopped}.")
