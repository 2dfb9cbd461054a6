"""English words the offline order taker knows. Folded: no accents, lower case."""

from __future__ import annotations

from typing import Final

NUMBERS: Final = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13,
    "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18,
    "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60,
    "seventy": 70, "eighty": 80, "ninety": 90,
}  # fmt: skip
ARTICLES: Final = frozenset({"a", "an"})
OTHERS: Final = frozenset({"another"})
HALVES: Final = frozenset({"half"})
QUARTERS: Final = frozenset({"quarter", "quarters"})
THOUSAND: Final = frozenset({"thousand"})
HUNDRED: Final = frozenset({"hundred"})
DOZENS: Final = frozenset({"dozen", "dozens", "doz"})
PAIRS: Final = frozenset({"couple", "pair"})
AND: Final = frozenset({"and", "n"})
SIZE_LEADS: Final = frozenset({"of", "for", "number", "size"})
MONEY: Final = {"dollar": 1, "dollars": 1, "buck": 1, "bucks": 1, "usd": 1}

STOP: Final = frozenset(["the", "of", "with", "and", "or", "w", "in", "on", "to", "at", "from"])
FILLER: Final = frozenset(
    [
        "hi",
        "hello",
        "hey",
        "good",
        "morning",
        "afternoon",
        "evening",
        "there",
        "i",
        "we",
        "you",
        "u",
        "id",
        "im",
        "ill",
        "ive",
        "can",
        "could",
        "may",
        "would",
        "will",
        "get",
        "have",
        "give",
        "gimme",
        "lemme",
        "let",
        "me",
        "us",
        "need",
        "want",
        "wanna",
        "like",
        "love",
        "order",
        "ordering",
        "please",
        "pls",
        "plz",
        "thanks",
        "thank",
        "just",
        "only",
        "some",
        "few",
        "about",
        "around",
        "maybe",
        "also",
        "too",
        "plus",
        "uh",
        "uhh",
        "um",
        "umm",
        "er",
        "ok",
        "okay",
        "yes",
        "yeah",
        "sure",
        "so",
        "then",
        "well",
        "actually",
        "that",
        "those",
        "these",
        "this",
        "it",
        "them",
        "ones",
        "my",
        "your",
        "our",
        "for",
        "pick",
        "picking",
        "pickup",
        "up",
        "ready",
        "go",
        "take",
        "out",
        "togo",
        "box",
        "boxes",
        "bag",
        "bags",
        "cup",
        "cups",
        "piece",
        "pieces",
        "each",
        "fresh",
        "nice",
        "good",
        "warm",
        "today",
        "now",
        "asap",
        "is",
        "are",
        "be",
        "do",
        "does",
        "did",
        "what",
        "when",
        "how",
        "kind",
        "flavor",
        "flavors",
        "type",
        "mix",
        "mixed",
        "assorted",
        "add",
        "put",
        "grab",
        "all",
        "everyone",
        "office",
        "party",
        "team",
        "kids",
        "store",
        "shop",
        "place",
        "by",
        "of",
        "more",
        "any",
        "instead",
        "rather",
        "make",
    ]
)
ASIDES: Final = frozenset(["for", "because", "so", "if", "when", "since"])
OTHER_WORDS: Final = frozenset(
    [
        "beer",
        "wine",
        "pizza",
        "burger",
        "bear",
        "soup",
        "where",
        "who",
        "which",
        "money",
        "price",
        "card",
        "cash",
        "change",
        "nut",
    ]
)

WEEKDAYS: Final = {
    "monday": 0, "tuesday": 1, "wednesday": 2, "thursday": 3, "friday": 4, "saturday": 5,
    "sunday": 6, "mon": 0, "tue": 1, "tues": 1, "wed": 2, "thu": 3, "thurs": 3, "fri": 4,
    "sat": 5, "sundays": 6, "saturdays": 5, "mondays": 0,
}  # fmt: skip
MONTHS: Final = {
    "january": 1, "february": 2, "march": 3, "april": 4, "june": 6, "july": 7, "august": 8,
    "september": 9, "october": 10, "november": 11, "december": 12, "jan": 1, "feb": 2,
    "sept": 9, "oct": 10, "nov": 11, "dec": 12,
}  # fmt: skip
DAYS_AHEAD: Final = {"today": 0, "tonight": 0, "tomorrow": 1, "tmrw": 1, "tmr": 1, "tomorow": 1}

ADDS: Final = frozenset(["add", "also", "plus", "include", "throw"])
REMOVES: Final = frozenset(["remove", "drop", "lose", "delete", "minus"])
SETS: Final = frozenset(["make", "change", "switch", "actually", "instead", "rather"])
SWAPS: Final = frozenset({"for", "to"})
