"""The settings as the program receives them: one frozen value per group.

Law: nobody sees the environment but the one who parsed it; a setting's Python path is its name everywhere
(`retrieve.mix` in voice.toml, in `voice config`, in the docs). Secrets are not in any repr.
The owner's names, as one line. A name is what stands between two commas, without blanks around it; each counts once, in
the order given.
Source: spec inner_voice.retrieve, Config; spec rag-organize 4; spec stateful-design-v2, 6; spec nlq, 5; rulings A5-A8,
A21, A23, A24, D3, D24, E, H.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Final, Literal

from voice.core.errors import ConfigurationError, FeatureDisabled
from voice.core.graph.review.extraction_results import Extractor
from voice.core.graph.row_display import HalfLives, parse_half_lives
from voice.core.grounding.values import GroundingPolicy, PolicyOverrides
from voice.core.messages import files as messages
from voice.core.records import Scope
from voice.core.retrieval.params import RetrieveDefaults
from voice.core.session.values import SummaryBy
from voice.core.settings.providers import is_keyless, why_no_key
from voice.core.text.word_lists import Language

LogLevel = Literal["debug", "info", "warning"]
"""`info`: a line of figures for each retrieval; `debug`: its ids, too; `warning`: neither."""


_OWN_ENCODERS = {"local": "all-MiniLM-L6-v2-int8", "hash": "hashed-ngrams-v1"}  # models that come with the program


@dataclass(frozen=True, slots=True, kw_only=True)
class GateSettings:
    """Whether the inner voice is on at all (ruling A8), and what comes in through its tools counts as (ruling H)."""

    enabled: bool = False
    mcp_origin: Literal["tool", "logged"] = "tool"
    """`logged`: the owner vouches for what their own programs log through MCP."""

    def require(self, *, init: str = "voice init") -> None:
        """Let the caller pass when the inner voice is on; `init`: what makes a memory where they looked for one.

        Raises:
            FeatureDisabled: it is off; the message says how to switch it on.
        """
        if not self.enabled:
            raise FeatureDisabled(messages.switched_off(init))


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreSettings:
    """Where the memory is kept (DESIGN 4)."""

    home: str | None = None
    """The data directory; None is the platform's place for a user's data."""
    url: str | None = None
    """None is the embedded store in the data directory."""
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    namespace: str = "voice"
    database: str = "memory"
    wait_s: float = 10.0
    """How long the process that holds an embedded store may be silent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerSettings:
    """Whose memory it is."""

    names: str | None = None
    """What the owner is called, with commas between; None where nobody said."""

    @property
    def called(self) -> tuple[str, ...]:
        """The names, the full one first."""
        return parse_owner_names(self.names or "")


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeSettings:
    """What the owner's own doors read where no scope is named (ruling A18)."""

    default: Literal["all", "here"] = "here"
    """`here`: the repository one stands in with what belongs to no scope; outside of any a scope has to be named."""

    def surroundings(self, repo_id: str | None = None) -> Scope:
        """Return what is read of a scoped memory where none was named, in `repo_id`; empty: it has to be."""
        if self.default == "all":
            return Scope.ALL
        # "here", outside of a repository.
        return Scope() if repo_id is None else Scope(repo_id=repo_id, or_unscoped=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedSettings:
    """Which encoder gives the vectors."""

    provider: str = "local"
    model: str | None = None
    """None is the offline encoder's own."""
    dim: int | None = None
    """What the embedder must have; None takes the offline encoder's."""
    path: str | None = None
    """Another copy of the offline encoder's model file."""
    api_base: str | None = None
    api_key: str | None = field(default=None, repr=False)

    @property
    def encoder(self) -> str:
        """The name of the model that is meant, as its vectors bear it."""
        return _OWN_ENCODERS.get(self.provider) or f"{self.provider}/{self.model}"  # vectors compare within it alone


@dataclass(frozen=True, slots=True, kw_only=True)
class NlqLimits:
    """How questions in natural language are bounded (spec nlq, 5; ruling A24)."""

    default_limit: int = 25
    max_limit: int = 100
    max_keywords: int = 10
    enable_keyword_filter: bool = True
    timeout_ms: int = 2_000
    language: Language = "en"
    """Tried first; the others follow when it finds no time phrase."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeSettings:
    """What "yesterday" means for this person (ruling E)."""

    timezone: str = "UTC"
    week_start: Literal["monday", "sunday", "saturday"] = "monday"
    hemisphere: Literal["north", "south"] = "north"
    date_order: Literal["month_first", "day_first"] | None = None
    """How 03/04/2024 is read, in a question and in a file; None takes the language's habit, and of a file neither."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmSettings:
    """Who writes the drafts, and what a call may take."""

    provider: str = "gemini"
    model: str = "gemini-2.5-pro"
    api_base: str | None = None
    api_key: str | None = field(default=None, repr=False)
    max_prompt_tokens: int = 8000
    max_output_tokens: int = 2048
    temperature: float | None = None
    """None leaves it to the stance (ruling A5)."""
    deadline_s: float = 60.0
    stream: bool = True
    """Replies are asked for piece by piece, and ended where a draft's sources decide that it will be refused."""
    quarantine_instructions: bool = True
    """Rows that read like instructions to the model stay out of prompts (ruling D22)."""
    cost_tracking: bool = True
    max_turn_cost: Decimal | None = None
    max_session_cost: Decimal | None = None
    max_day_cost: Decimal | None = None
    max_month_cost: Decimal | None = None
    on_unknown_price: Literal["refuse", "allow"] = "refuse"
    checks: bool = False
    """Whether it is the model that checks, which settings of its own name; read from none."""

    @property
    def caps_what_was_spent(self) -> bool:  # a turn's cap needs no past
        """Whether a cap is set that rests on what earlier turns cost."""
        return any(cap is not None for cap in (self.max_session_cost, self.max_day_cost, self.max_month_cost))

    def require_key(self) -> str | None:
        """Return the key to send, None for a provider that takes none or an `api_base` of one's own.

        Raises:
            ConfigurationError: the provider needs a key and there is none, or is none that is known (ruling A23).
        """
        if self.api_key is None and self.api_base is None and not is_keyless(self.provider):
            raise ConfigurationError(why_no_key(self.provider))
        return self.api_key


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifierSettings:
    """Who checks the sentences that are not quoted (DESIGN 6)."""

    name: str = "auto"
    """`auto`, `none`, `llm`, or the name of an installed one."""
    model: str | None = None
    """The model that is asked, as `-m` takes it; None: the one that writes."""
    api_key: str | None = field(default=None, repr=False)
    """Of that model's provider, where it is another one than writes."""
    timeout_s: float = 30.0

    @property
    def has_checker(self) -> bool:
        """Whether the model that checks is another one than writes."""
        return self.model is not None and self.name != "none"

    def llm_of(self, writer: LlmSettings) -> LlmSettings:
        """Return the settings of the model that checks; one of the `writer`'s provider shares its endpoint and key."""
        if self.model is None:
            return writer
        provider, _, model = self.model.partition("/")  # "openai/gpt-4o", "openrouter/meta/llama"
        if provider == writer.provider:
            return replace(writer, model=model, api_key=self.api_key or writer.api_key, checks=True)
        # Neither the endpoint nor the key of the writer belongs to another provider (ruling D24).
        return replace(writer, provider=provider, model=model, api_base=None, api_key=self.api_key, checks=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSettings:
    """How long a conversation lives, and how much of it stays word for word (spec stateful-design-v2, 8)."""

    timeout_hours: int = 24
    window_limit: int = 10
    window_keep: int = 5
    summary: SummaryBy = "extractive"
    """Who sums up what leaves the window: `extractive` keeps the answers' own sentences, `llm` asks the model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivacySettings:
    """What may leave this machine, and what may be written down about a turn (rulings D19, H)."""

    no_log: bool = False
    log_level: LogLevel | Literal["none"] = "warning"
    """What is told on stderr; `no_log` wins over it. `none`: the default of commands, which say their failures."""
    metrics: bool = True
    allow_private_remote: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class OrganiseSettings:
    """Defaults of S1's tool and of distilling (rulings A21, A24)."""

    top_k: int = 5
    sim_thresh: float = 0.5
    db_limit: int = 500
    auto_mark_removal: bool = False
    auto_observations: Literal["human", "off"] = "human"
    auto_candidates: bool = True
    """Whether what comes in is read for entities and relations, which then wait for review."""
    extractor: Extractor = "rules"
    """Who reads it: the rules of this program, a language model held against the notes, or both."""
    half_lives: str = "none"
    """What grows less sure with time, and how fast (`voice.core.graph.row_display`)."""

    @property
    def ageing(self) -> HalfLives:
        """The half-lives by class."""
        return parse_half_lives(self.half_lives)


Gone = Literal["keep", "forget"]
"""What becomes of notes that left their folder: they are kept for the memory as of before, or forgotten."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncSettings:
    """How folders of notes are followed (ruling I4)."""

    gone: Gone = "keep"


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureSettings:
    """Which sessions of agents are never captured."""

    ignore: str | None = None
    """Globs of directories and transcripts, with commas between; None keeps nothing out."""

    @property
    def globs(self) -> tuple[str, ...]:
        """The globs."""
        return tuple(each.strip() for each in (self.ignore or "").split(",") if each.strip())


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveSettings:
    """Where removed thoughts go, and when (spec rag-organize, 4; ruling F)."""

    retention_days: int = 30
    directory: str = "./archive/"
    format: Literal["parquet", "jsonl"] = "parquet"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Every setting of the program; `Settings()` is what holds when nothing is set."""

    gate: GateSettings = GateSettings()
    store: StoreSettings = StoreSettings()
    owner: OwnerSettings = OwnerSettings()
    scope: ScopeSettings = ScopeSettings()
    embed: EmbedSettings = EmbedSettings()
    retrieve: RetrieveDefaults = RetrieveDefaults()
    nlq: NlqLimits = NlqLimits()
    time: TimeSettings = TimeSettings()
    llm: LlmSettings = LlmSettings()
    grounding: GroundingPolicy = GroundingPolicy()
    synthesize: PolicyOverrides = PolicyOverrides()
    challenge: PolicyOverrides = PolicyOverrides()
    question: PolicyOverrides = PolicyOverrides()
    verifier: VerifierSettings = VerifierSettings()
    session: SessionSettings = SessionSettings()
    privacy: PrivacySettings = PrivacySettings()
    organise: OrganiseSettings = OrganiseSettings()
    sync: SyncSettings = SyncSettings()
    capture: CaptureSettings = CaptureSettings()
    archive: ArchiveSettings = ArchiveSettings()


MOST_NAMES: Final = 12
MOST_CHARS: Final = 80
"""Characters of a name."""


def parse_owner_names(text: str) -> tuple[str, ...]:
    """Return the names in a line."""
    return tuple(dict.fromkeys(filter(None, (" ".join(name.split()) for name in text.split(",")))))


def render_owner_names(names: Sequence[str]) -> str:
    """Return names as `parse_owner_names` reads them. Raises ValueError: a comma, too long, none, or too many."""
    told = parse_owner_names(",".join(names))
    if not 0 < len(told) <= MOST_NAMES or any(len(name) > MOST_CHARS or not name.isprintable() for name in told):
        raise ValueError
    return ", ".join(told)
