"""How the bot behaves and which models it may use: rows that staff edit."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from aitools.overrides import TEXTS

if TYPE_CHECKING:
    from django_stubs_ext import StrPromise


def price_field(label: StrPromise) -> models.DecimalField[Decimal | None, Decimal | None]:
    """US dollars for a million tokens."""
    return models.DecimalField(
        label,
        max_digits=10,
        decimal_places=4,
        null=True,
        blank=True,
        validators=[MinValueValidator(0)],
        help_text=_("US dollars for a million tokens."),
    )


def budget_field(label: StrPromise, help_text: StrPromise) -> models.DecimalField[Decimal | None, Decimal | None]:
    """US dollars a day."""
    return models.DecimalField(
        label,
        max_digits=10,
        decimal_places=2,
        null=True,
        blank=True,
        validators=[MinValueValidator(0)],
        help_text=help_text,
    )


class ModelEndpoint(models.Model):
    """A model somewhere. Its key is named by an environment variable, or stored sealed and never shown again.

    Prices are US dollars for a million tokens, null when unknown.  ``broken_at``
    is since when the vendor has refused us for good (key, model or permission).
    """

    class Kind(models.TextChoices):
        OFFLINE = "offline", _("Offline order taker")
        ANTHROPIC = "anthropic", "Anthropic"
        OPENAI = "openai", "OpenAI"
        COMPATIBLE = "openai_chat", _("Compatible with OpenAI")
        GEMINI = "gemini", "Gemini"
        OLLAMA = "ollama", "Ollama"
        SCRIPTED = "scripted", _("Scripted (tests)")

    class Vendor(models.TextChoices):
        """Who speaks OpenAI's Chat Completions, each in its own way."""

        GROQ = "groq", "Groq"
        DEEPSEEK = "deepseek", "DeepSeek"
        MISTRAL = "mistral", "Mistral"
        OPENROUTER = "openrouter", "OpenRouter"
        TOGETHER = "together", "Together"
        VLLM = "vllm", "vLLM"
        LLAMA_CPP = "llama_cpp", "llama.cpp"
        LM_STUDIO = "lm_studio", "LM Studio"

    class ToolCalls(models.TextChoices):
        AUTO = "auto", _("Automatic")
        NATIVE = "native", _("The vendor's own")
        PLAN = "plan", _("By a JSON plan")

    name = models.CharField(_("name"), max_length=60, unique=True)
    kind = models.CharField(_("kind"), max_length=20, choices=Kind.choices)
    vendor = models.CharField(
        _("vendor"),
        max_length=20,
        blank=True,
        db_default="",
        choices=Vendor.choices,
        help_text=_("For what is compatible with OpenAI: its address and its ways. Empty: another one."),
    )
    model = models.CharField(_("model"), max_length=120, blank=True)
    base_url = models.URLField(_("base URL"), blank=True, help_text=_("Empty: the vendor's own address."))
    key_variable = models.CharField(
        _("environment variable with the key"),
        max_length=80,
        blank=True,
        help_text=_("For example ANTHROPIC_API_KEY. The key itself is not stored here."),
    )
    # Defaults of the database: the release before this one knows none of these.
    sealed_key = models.TextField(blank=True, editable=False, db_default="", serialize=False)
    key_set_at = models.DateTimeField(_("key stored"), null=True, blank=True, editable=False)
    input_price = price_field(_("price of input"))
    cached_price = price_field(_("price of cached input"))
    output_price = price_field(_("price of output"))
    transcription_model = models.CharField(
        _("model for voice notes"),
        max_length=120,
        blank=True,
        db_default="",
        help_text=_("Turns speech into text, where the vendor can. Empty: none."),
    )
    timeout_seconds = models.PositiveSmallIntegerField(
        _("timeout in seconds"), default=30, validators=[MinValueValidator(1), MaxValueValidator(120)]
    )
    max_output_tokens = models.PositiveIntegerField(
        _("longest reply in tokens"), default=1024, validators=[MinValueValidator(64)]
    )
    tool_calls = models.CharField(
        _("tool calls"),
        max_length=10,
        choices=ToolCalls,
        default=ToolCalls.AUTO,
        help_text=_("The plan is for models that know no tools. Automatic: the plan, once the vendor refused tools."),
    )
    refuses_tools = models.BooleanField(_("refuses tools"), default=False, editable=False)
    active = models.BooleanField(_("active"), default=True)
    broken_at = models.DateTimeField(_("broken since"), null=True, blank=True, editable=False)
    broken_reason = models.CharField(_("why it is broken"), max_length=300, blank=True, editable=False, db_default="")

    class Meta:
        verbose_name = _("model endpoint")
        verbose_name_plural = _("model endpoints")
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name

    @property
    def place(self) -> str:
        """What its key is sealed for: this stored row and no other."""
        return f"model endpoint {self.pk}"


class BotProfile(models.Model):
    """The bot's persona and limits. The newest active row is in force."""

    name = models.CharField(_("name"), max_length=60, unique=True)
    active = models.BooleanField(_("active"), default=True)
    bot_on = models.BooleanField(
        _("bot on"),
        default=True,
        help_text=_("Off: customers get the text below and staff get the messages."),
    )
    off_text = models.TextField(_("text while the bot is off"), blank=True, max_length=1000)
    persona = models.TextField(
        _("persona"),
        blank=True,
        max_length=4000,
        help_text=_("How the bot should sound. Added to the instructions for the model."),
    )
    language = models.CharField(
        _("language"), max_length=10, default="es", choices=[("es", _("Spanish")), ("en", _("English"))]
    )
    endpoint = models.ForeignKey(
        ModelEndpoint,
        verbose_name=_("model"),
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
        help_text=_("Empty: the one chosen in the environment, else the offline order taker."),
    )
    fallbacks = models.ManyToManyField(ModelEndpoint, verbose_name=_("fall-back models"), blank=True, related_name="+")
    voice_endpoint = models.ForeignKey(
        ModelEndpoint,
        verbose_name=_("model for voice notes"),
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
        help_text=_("Turns voice notes into text. Empty: customers are asked to write."),
    )
    daily_budget_soft = budget_field(
        _("warn from (a day)"), _("US dollars that models may cost a day before staff are told. Empty: never.")
    )
    daily_budget_hard = budget_field(
        _("stop at (a day)"), _("From here on the offline order taker answers until the next day. Empty: never.")
    )
    confirm_seconds = models.PositiveIntegerField(
        _("seconds to answer a question"),
        default=120,
        validators=[MinValueValidator(10), MaxValueValidator(86_400)],
    )
    settle_seconds = models.PositiveSmallIntegerField(
        _("seconds of quiet before answering"), default=3, validators=[MaxValueValidator(10)]
    )
    max_steps = models.PositiveSmallIntegerField(
        _("model steps per message"),
        default=5,
        validators=[MinValueValidator(1), MaxValueValidator(20)],
    )
    history_turns = models.PositiveSmallIntegerField(
        _("earlier turns the model sees"), default=10, validators=[MaxValueValidator(100)]
    )
    human_minutes = models.PositiveIntegerField(
        _("minutes until the bot returns after a person wrote"),
        default=240,
        help_text=_("0: only when staff hand back."),
    )
    history_tokens = models.PositiveIntegerField(
        _("longest earlier talk in tokens"),
        default=6000,
        validators=[MaxValueValidator(100_000)],
        help_text=_("An estimate; whole turns only, the newest first."),
    )
    sums_up = models.BooleanField(
        _("sum up at the limit of steps"),
        default=False,
        help_text=_("One more request, without tools, instead of our own text."),
    )
    guards_replies = models.BooleanField(
        _("check replies"),
        default=True,
        help_text=_("Amounts and claims that no result confirms are not sent."),
    )
    expired_notice = models.BooleanField(_("tell when a question has expired"), default=True)
    answered_notice = models.BooleanField(_("tell that an answer was understood"), default=False)
    buttons_on = models.BooleanField(
        _("buttons"), default=True, help_text=_("Off: questions carry a hint instead, on every channel.")
    )
    word_regions = models.JSONField(_("regional words for yes and no"), default=list, blank=True)
    yes_words = models.TextField(
        _("more words for yes"), blank=True, help_text=_("One a line, added to the built-in list.")
    )
    no_words = models.TextField(
        _("more words for no"), blank=True, help_text=_("One a line, added to the built-in list.")
    )
    words_replace = models.BooleanField(
        _("only these words"),
        default=False,
        help_text=_("The words above stand alone, without the built-in list."),
    )
    note_on = models.BooleanField(
        _("tell the model about confirmations"),
        default=True,
        help_text=_("Also tells it what was already done in the chat."),
    )
    note = models.TextField(
        _("own words about confirmations"), blank=True, max_length=4000, help_text=_("Empty: the built-in text.")
    )
    retention_days = models.PositiveIntegerField(
        _("days that messages and tool arguments are kept"),
        default=365,
        help_text=_("0: for ever. What was ordered is kept in any case."),
    )

    class Meta:
        verbose_name = _("bot profile")
        verbose_name_plural = _("bot profiles")
        ordering = ["-active", "-id"]

    def __str__(self) -> str:
        return self.name


class TextOverride(models.Model):
    """Staff's own wording of one of our texts, in one language."""

    profile = models.ForeignKey(BotProfile, on_delete=models.CASCADE, related_name="texts")
    language = models.CharField(_("language"), max_length=10)
    name = models.CharField(_("text"), max_length=40)
    text = models.TextField(_("wording"), max_length=1000)

    class Meta:
        verbose_name = _("own text")
        verbose_name_plural = _("own texts")
        ordering = ["name", "language"]
        constraints = [models.UniqueConstraint(fields=["profile", "language", "name"], name="text_once")]

    def __str__(self) -> str:
        text = TEXTS.get(self.name)
        return f"{text.label if text else self.name} ({self.language})"


class BehaviourVersion(models.Model):
    """One row whose number rises, by triggers, with every edit of a profile, its texts or its models.

    Workers keep what they read and look again when the number has changed; it
    comes with the statement that takes a lease.
    """

    version = models.BigIntegerField(default=1)

    class Meta:
        verbose_name = _("version of the settings")
        verbose_name_plural = _("version of the settings")

    def __str__(self) -> str:
        return str(self.version)
