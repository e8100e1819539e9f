"""The settings as the program receives them: one frozen value per group, each setting declared where it is held.

Law: nobody sees the environment but the one who parsed it; a setting's Python path is its name everywhere
(`retrieve.mix` in voice.toml, in `voice config`, in the docs). Secrets are not in any repr. A field says its default,
its variable, what it does, and how it is read where the type does not say that.
Source: spec inner_voice.retrieve, Config; spec rag-organize 4; spec stateful-design-v2, 6; spec nlq, 5; rulings A5-A8,
A21, A23, A24, D3, D24, E, H.
"""

from dataclasses import dataclass
from typing import Literal, get_args

from voice.core.errors import FeatureDisabled
from voice.core.graph.review.extraction_results import Extractor
from voice.core.graph.row_display import HalfLives, parse_half_lives
from voice.core.grounding.values import GroundingPolicy, PolicyOverrides, Stance
from voice.core.messages import files as messages
from voice.core.records import Scope
from voice.core.retrieval.params import RetrieveDefaults
from voice.core.session.values import SummaryBy
from voice.core.settings.providers import EmbedSettings, LlmSettings, VerifierSettings
from voice.core.settings.readers import (
    gate,
    globs,
    half_lives,
    integer,
    names,
    number,
    one_of,
    parse_owner_names,
    secret,
    setting,
    text,
    timezone,
    unset,
    url,
)
from voice.core.text.word_lists import Language

LogLevel = Literal["debug", "info", "warning"]
"""`info`: a line of figures for each retrieval; `debug`: its ids, too; `warning`: neither."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateSettings:
    """Whether the inner voice is on at all (ruling A8), and what comes in through its tools counts as (ruling H)."""

    enabled: bool = setting(False, "SURR_ENABLE_INNER_VOICE", "Switches the inner voice on.", gate())
    mcp_origin: Literal["tool", "logged"] = setting(
        "tool",
        "SURR_MCP_ORIGIN",
        "What `remember` over MCP counts as: tool waits for review, logged can be cited at once.",
    )

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

    home: str | None = unset(
        "VOICE_HOME",
        "The data directory; the platform's place for user data by default.",
        text("a path"),
        in_file=False,
    )
    url: str | None = unset(
        "SURR_DB_URL",
        "Where the store is; an embedded one in the data directory by default.",
        url("surrealkv", "mem", "ws", "wss"),  # on the disk, in memory, on a server
    )
    user: str | None = unset("SURR_DB_USER", "User of a store on a server.", text("a name"))
    password: str | None = secret("SURR_DB_PASS", "Password of a store on a server.")
    namespace: str = setting("voice", "SURR_DB_NS", "Namespace in the store.", text("a name"))
    database: str = setting("memory", "SURR_DB_DB", "Database in the namespace.", text("a name"))
    wait_s: float = setting(
        10.0,
        "SURR_DB_WAIT",
        "How long the process that holds a store on this disk may be silent before others give up.",
        number(3.0, 600.0),
        "seconds",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerSettings:
    """Whose memory it is."""

    names: str | None = unset(
        "SURR_OWNER_NAMES",
        "Your names: who “I” is in your notes, and which speaker in chats and mails is you.",
        names(),
    )

    @property
    def called(self) -> tuple[str, ...]:
        """The names, the full one first."""
        return parse_owner_names(self.names or "")


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeSettings:
    """What the owner's own doors read where no scope is named (ruling A18)."""

    default: Literal["all", "here"] = setting(
        "here",
        "SURR_SCOPE_DEFAULT",
        "The scope that the command line and the page read if you name none; here: the present repository.",
    )
    """`here`: the repository one stands in with what belongs to no scope; outside of any a scope has to be named."""

    def surroundings(self, repo_id: str | None = None) -> Scope:
        """Return what is read of a scoped memory where none was named, in `repo_id`; empty: it has to be."""
        if self.default == "all":
            return Scope.ALL
        # "here", outside of a repository.
        return Scope() if repo_id is None else Scope(repo_id=repo_id, or_unscoped=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class NlqLimits:
    """How questions in natural language are bounded (spec nlq, 5; ruling A24)."""

    default_limit: int = setting(25, "SURR_NLQ_DEFAULT_LIMIT", "How many rows an answer may use.", integer(1, 10_000))
    max_limit: int = setting(
        100, "SURR_NLQ_MAX_LIMIT", "The highest number of results you can ask for.", integer(1, 10_000)
    )
    max_keywords: int = setting(
        10, "SURR_NLQ_MAX_KEYWORDS", "How many keywords to take from a question.", integer(1, 100)
    )
    enable_keyword_filter: bool = setting(True, "SURR_NLQ_ENABLE_KEYWORD_FILTER", "Uses quoted phrases as filters.")
    timeout_ms: int = setting(2_000, "SURR_NLQ_TIMEOUT_MS", "Time for one search.", integer(1, 600_000), "milliseconds")
    language: Language = setting("en", "SURR_LANGUAGE", "Language of questions, tried first.")
    """The others follow when it finds no time phrase."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeSettings:
    """What "yesterday" means for this person (ruling E)."""

    timezone: str = setting("UTC", "SURR_TIMEZONE", "Your time zone, for days and dates.", timezone())
    week_start: Literal["monday", "sunday", "saturday"] = setting("monday", "SURR_WEEK_START", "First day of a week.")
    hemisphere: Literal["north", "south"] = setting(
        "north", "SURR_HEMISPHERE", "Where you live, for the months of summer."
    )
    date_order: Literal["month_first", "day_first"] | None = unset(
        "SURR_DATE_ORDER",
        "How to read 03/04/2024; by default in a question as its language does, in a file not at all.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSettings:
    """How long a conversation lives, and how much of it stays word for word (spec stateful-design-v2, 8)."""

    timeout_hours: int = setting(24, "SURR_INNER_VOICE_TIMEOUT", "Idle time of a session.", integer(1, 87_600), "hours")
    window_limit: int = setting(
        10, "SURR_INNER_VOICE_WINDOW", "Exchanges before it sums up older ones.", integer(1, 1000)
    )
    window_keep: int = setting(
        5, "SURR_INNER_VOICE_WINDOW_KEEP", "Exchanges then kept word for word.", integer(1, 1000)
    )
    summary: SummaryBy = setting(
        "extractive",
        "SURR_INNER_VOICE_SUMMARY",
        "How to sum up older exchanges; llm asks the model and checks what it writes.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivacySettings:
    """What may leave this machine, and what may be written down about a turn (rulings D19, H)."""

    no_log: bool = setting(False, "MCP_NO_LOG", "No logs, and no metrics beyond counters.")
    log_level: LogLevel | Literal["none"] = setting(
        "warning",
        "SURR_LOG_LEVEL",
        "What to log on stderr; info: figures of each search, debug: ids, too; never text.",
        one_of(*get_args(LogLevel)),
    )
    """`no_log` wins over it. `none`: the default of commands, which say their failures."""
    metrics: bool = setting(True, "SURR_INNER_VOICE_METRICS", "Keeps figures of each turn, never text.")
    allow_private_remote: bool = setting(
        False, "SURR_ALLOW_PRIVATE_REMOTE", "Allows sending private notes to a provider on another machine."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class OrganiseSettings:
    """Defaults of S1's tool and of distilling (rulings A21, A24)."""

    top_k: int = setting(5, "SURR_TOP_K", "How many notes `organise` uses.", integer(1, 50))
    sim_thresh: float = setting(0.5, "SURR_SIM_THRESH", "The lowest cosine of its notes.", number(0.0, 1.0))
    db_limit: int = setting(500, "SURR_DB_LIMIT", "How many rows it scores.", integer(1, 1_000_000))
    auto_mark_removal: bool = setting(False, "SURR_AUTO_MARK_REMOVAL", "Marks sources for removal after staging.")
    auto_observations: Literal["human", "off"] = setting(
        "human",
        "SURR_AUTO_OBSERVATIONS",
        "human: answers can cite your own sentences at once; off: all wait for review.",
    )
    auto_candidates: bool = setting(
        True, "SURR_AUTO_CANDIDATES", "Looks for names and relations in new notes; they wait for your review."
    )
    extractor: Extractor = setting(
        "rules", "SURR_EXTRACTOR", "How to find them: rules (offline), llm (the language model, at its price), or both."
    )
    half_lives: str = setting(
        "none",
        "SURR_CONFIDENCE_HALF_LIVES",
        "What becomes less certain with time, e.g. works_at=730, relation=1825, born_in=never; shown, never stored.",
        half_lives(),
    )

    @property
    def ageing(self) -> HalfLives:
        """The half-lives by class."""
        return parse_half_lives(self.half_lives)


Gone = Literal["keep", "forget"]
"""What becomes of notes that left their folder: they are kept for the memory as of before, or forgotten."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncSettings:
    """How folders of notes are followed (ruling I4)."""

    gone: Gone = setting(
        "keep",
        "SURR_SYNC_GONE",
        "What to do with notes that leave a synced folder: keep (only --as-of finds them) or forget (for good).",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureSettings:
    """Which sessions of agents are never captured."""

    ignore: str | None = unset("SURR_CAPTURE_IGNORE", "Directories whose sessions are not captured (globs).", globs())

    @property
    def globs(self) -> tuple[str, ...]:
        """The globs."""
        return tuple(each.strip() for each in (self.ignore or "").split(",") if each.strip())


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveSettings:
    """Where removed thoughts go, and when (spec rag-organize, 4; ruling F)."""

    retention_days: int = setting(
        30, "SURR_RETENTION_DAYS", "Time from marking to removal.", integer(0, 36_500), "days"
    )
    directory: str = setting("./archive/", "SURR_ARCHIVE_DIR", "Where removed thoughts are archived.", text("a path"))
    format: Literal["parquet", "jsonl"] = setting("parquet", "SURR_ARCHIVE_FORMAT", "Format of an archive.")


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

    def policy_of(self, stance: Stance) -> GroundingPolicy:
        """Return what is grounded enough under `stance`: the one value that is recorded (ruling A4)."""
        stances = {Stance.SYNTHESIZE: self.synthesize, Stance.CHALLENGE: self.challenge, Stance.QUESTION: self.question}
        return self.grounding.under(stances[stance], stance)
