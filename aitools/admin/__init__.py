"""The engine in the admin: talk, what the bot did about it, and how it behaves.

Modules by noun; importing one registers its pages.
"""

from aitools.admin import audit, confirmations, conversations, endpoints, messages, profiles, turns

__all__ = ["audit", "confirmations", "conversations", "endpoints", "messages", "profiles", "turns"]
