"""The offline order taker: a deterministic provider that needs no network.

The steps are pure and each is a module: ``normalise`` and ``quantities`` turn
text into tokens, ``match`` explains tokens by the catalogue, ``segment`` cuts a
message into items, ``resolve`` makes items of them, ``changes`` applies them to
the draft, ``decide`` picks the tool call or the one question to ask.
"""
