"""The exceptions of the engine.

``EngineError`` is the root of what may happen at run time.  Configuration
mistakes stand outside it, so that no broad ``except`` hides them.

    EngineError
    ├── ToolRefusal           a tool did not do it
    │   ├── ToolRetry             the model may correct its call
    │   └── ToolFailed            the call failed; the model is told why
    ├── ResultNotPlain        a handler gave back what has no JSON form
    ├── AgreementChanged      what the customer agreed to is not so any more
    ├── IllPaired             a transcript that no vendor may be sent
    ├── LeaseLost             another worker (or a reset) owns the conversation
    ├── Stale                 rows changed since they were read: read them again
    ├── ProviderError         a model vendor did not give a reply
    │   ├── ProviderTransient     worth another try, or another endpoint
    │   └── ProviderPermanent     this endpoint will keep refusing
    └── ChannelError          a message was not sent
        ├── ChannelTransient      surely not taken: try again
        ├── ChannelUnknown        may have been taken: settle, never repeat
        └── ChannelPermanent      will never be taken
    SignatureError            a webhook is not from its vendor
    ConfigurationError        the deployment or a tool declaration is wrong
"""

from __future__ import annotations


class EngineError(Exception):
    """Root of everything that may go wrong while running."""


class ToolRefusal(EngineError):
    """A handler's no. The text is for the model, in English.

    ``say`` is for the customer, in the active language: what a provider that
    can't phrase it, or our code, may say as it stands. "" when there is none.
    """

    def __init__(self, message: str, *, say: str = "") -> None:
        super().__init__(message)
        self.say = say


class ToolRetry(ToolRefusal):
    """Raised by a handler: the text tells the model what to change."""


class ToolFailed(ToolRefusal):
    """Raised by a handler: the text tells the model why it can't be done."""


class ResultNotPlain(EngineError):
    """A handler's result has no JSON form. No refusal: the handler did its work, its code is at fault."""


class AgreementChanged(EngineError):
    """Raised by a handler when its own values differ from ``ctx.agreed``: ask again."""


class IllPaired(EngineError):
    """Calls, results and texts of a transcript do not fit together: a bug of ours."""


class LeaseLost(EngineError):
    """The lease or epoch moved on; nothing of this work may be committed."""


class Stale(EngineError):
    """What was read is not so any more; nothing was committed: read again and go on."""


class ProviderError(EngineError):
    """A vendor's refusal. ``kind`` is the error class of reference/providers.

    One of: auth, not_found, invalid_request, context_overflow, rate_limit,
    quota, overloaded, server, timeout, connection, tool_generation,
    tools_unsupported.  ``retry_after`` is in seconds, None if not said.
    """

    def __init__(self, message: str, *, kind: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.retry_after = retry_after


class ProviderTransient(ProviderError):
    """Another try or another endpoint may succeed."""


class ProviderPermanent(ProviderError):
    """The same request to the same endpoint will fail again."""


class ChannelError(EngineError):
    """A send failed. ``code`` is the vendor's, "" when it gave none.

    ``kind``: permanent, retry, window, opt_out, config, content or unknown.
    """

    def __init__(self, message: str, *, code: str = "", kind: str = "permanent") -> None:
        super().__init__(message)
        self.code = code
        self.kind = kind


class ChannelTransient(ChannelError):
    """The vendor surely did not take the message. ``retry_after`` in seconds."""

    def __init__(self, message: str, *, code: str = "", retry_after: float | None = None) -> None:
        super().__init__(message, code=code, kind="retry")
        self.retry_after = retry_after


class ChannelUnknown(ChannelError):
    """Timeout or lost answer: the vendor may or may not have taken it."""

    def __init__(self, message: str, *, code: str = "") -> None:
        super().__init__(message, code=code, kind="unknown")


class ChannelPermanent(ChannelError):
    """Trying again will not help."""


class SignatureError(Exception):
    """The request is not provably from the vendor: answer 403, store nothing."""


class ConfigurationError(Exception):
    """The deployment or a declaration is wrong; starting must fail."""
