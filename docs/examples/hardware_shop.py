"""A hardware shop in a few lines: two tools, one yes, no database.

    python docs/examples/hardware_shop.py

The model is scripted, so that it runs anywhere; any provider of `aitools.providers` takes its place.
"""

import sys
from pathlib import Path

from pydantic import BaseModel, Field

sys.path.insert(0, str(Path(__file__).parents[2]))  # where `aitools` lies, as long as it is not installed

from aitools.errors import ToolRetry
from aitools.providers.scripted import ScriptedProvider, asks, says
from aitools.running import Question, run_tools
from aitools.tools import Tool, ToolContext

STOCK = {"m6-bolt": 40, "m6-nut": 3}


class Find(BaseModel):
    words: str = Field(min_length=1)


class Reserve(BaseModel):
    part: str
    quantity: int = Field(ge=1, le=100)


def find_part(args: Find, ctx: ToolContext) -> dict[str, int]:
    return {part: left for part, left in STOCK.items() if args.words in part}


def in_stock(args: Reserve, ctx: ToolContext) -> None:
    if STOCK.get(args.part, 0) < args.quantity:
        raise ToolRetry(f"Only {STOCK.get(args.part, 0)} of {args.part} are left.")


def reserve_part(args: Reserve, ctx: ToolContext) -> dict[str, int]:
    STOCK[args.part] -= args.quantity
    return {"left": STOCK[args.part]}


TOOLS = [
    Tool("find_part", "Finds parts by a word of their name.", find_part, Find),
    Tool(
        "reserve_part",
        "Reserves parts at the counter. Use it once the customer wants them.",
        reserve_part,
        Reserve,
        confirm=True,
        effects="external",
        check=in_stock,
        labels={"part": {"m6-bolt": "M6 bolt", "m6-nut": "M6 nut"}},
    ),
]

MODEL = [
    asks(("find_part", {"words": "m6"})),
    asks(("reserve_part", {"part": "m6-nut", "quantity": 20})),  # the shop's own rule refuses: nobody is asked
    asks(("reserve_part", {"part": "m6-bolt", "quantity": 20})),
    says("Your 20 bolts wait at the counter. Of the nuts there are only 3."),
]


def says_yes(question: Question) -> bool:
    print(f"shop      {question.prompt}\ncustomer  yes")
    return True


if __name__ == "__main__":
    print("customer  20 bolts and nuts, M6, please")
    with ScriptedProvider(MODEL) as model:
        done = run_tools("20 bolts and nuts, M6, please", tools=TOOLS, provider=model, confirm=says_yes)
    print(f"shop      {done.text}")
    for event in done.events:
        print(f"          {event.step} {event.kind} {event.tool}")
