"""The table of all settings.

Law: a row here and a field in `values` make a setting; parser, `voice config`, the file that `voice init` writes and
docs/settings.md follow from them. The name is the Python path and the key in voice.toml; the default is the field's.
Bounds come from the specs where they give any (spec inner_voice.retrieve, Config validation), else from sense.
"""

from dataclasses import dataclass, fields
from typing import cast, get_args

from voice.core.grounding.values import PolicyOverrides, Stance
from voice.core.settings.readers import (
    Reader,
    Value,
    flag,
    gate,
    globs,
    half_lives,
    inside,
    integer,
    money,
    names,
    number,
    one_of,
    text,
    timezone,
    url,
    word,
)
from voice.core.settings.values import Gone, LogLevel, Settings
from voice.core.text.word_lists import Language


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One thing that can be set."""

    name: str
    env: str
    reader: Reader
    about: str
    unit: str | None = None
    secret: bool = False
    """Never printed, and read from the environment only."""
    in_file: bool = True

    @property
    def group(self) -> str:
        """The group in `Settings`, and the table in voice.toml."""
        return self.name.partition(".")[0]

    @property
    def field(self) -> str:
        """The field of the group."""
        return self.name.partition(".")[2]

    @property
    def key(self) -> str:
        """The key in voice.toml: the name, but for the gate, which stands at the top (ruling A8)."""
        return self.name.removeprefix("gate.")

    @property
    def default(self) -> Value:
        """The value that holds when nothing is set."""
        return cast("Value", getattr(getattr(_DEFAULTS, self.group), self.field))


_DEFAULTS = Settings()  # built once; the default of a setting is the field's
GROUPS: tuple[str, ...] = tuple(group.name for group in fields(Settings))


def _row(name: str, env: str, reader: Reader, about: str, unit: str | None = None) -> Setting:
    return Setting(name=name, env=env, reader=reader, about=about, unit=unit)


def _secret(name: str, env: str, about: str) -> Setting:
    return Setting(name=name, env=env, reader=text("a secret"), about=about, secret=True, in_file=False)


_GATE_AND_STORE = (
    _row("gate.enabled", "SURR_ENABLE_INNER_VOICE", gate(), "Switches the inner voice on."),
    _row(
        "gate.mcp_origin",
        "SURR_MCP_ORIGIN",
        one_of("tool", "logged"),
        "What `remember` over MCP counts as: tool waits for review, logged can be cited at once.",
    ),
    Setting(
        name="store.home",
        env="VOICE_HOME",
        reader=text("a path"),
        about="The data directory; the platform's place for user data by default.",
        in_file=False,
    ),
    _row(
        "store.url",
        "SURR_DB_URL",
        url("surrealkv", "mem", "ws", "wss"),  # on the disk, in memory, on a server
        "Where the store is; an embedded one in the data directory by default.",
    ),
    _row("store.user", "SURR_DB_USER", text("a name"), "User of a store on a server."),
    _secret("store.password", "SURR_DB_PASS", "Password of a store on a server."),
    _row("store.namespace", "SURR_DB_NS", text("a name"), "Namespace in the store."),
    _row("store.database", "SURR_DB_DB", text("a name"), "Database in the namespace."),
    _row(
        "store.wait_s",
        "SURR_DB_WAIT",
        number(3.0, 600.0),
        "How long the process that holds a store on this disk may be silent before others give up.",
        "seconds",
    ),
)

_OWNER_AND_SCOPE = (
    _row(
        "owner.names",
        "SURR_OWNER_NAMES",
        names(),
        "Your names: who “I” is in your notes, and which speaker in chats and mails is you.",
    ),
    _row(
        "scope.default",
        "SURR_SCOPE_DEFAULT",
        one_of("all", "here"),
        "The scope that the command line and the page read if you name none; here: the present repository.",
    ),
)

_EMBED = (
    _row("embed.provider", "SURR_EMBED_PROVIDER", word(), "Who encodes: local (offline), or a vendor's name."),
    _row("embed.model", "SURR_EMBED_MODEL", text("a model"), "The encoder; the offline one's own by default."),
    _row("embed.dim", "SURR_EMBED_DIM", integer(1, 16_384), "Numbers per vector; the offline encoder's by default."),
    _row("embed.path", "SURR_EMBED_PATH", text("a path"), "Another copy of the offline encoder's model file."),
    _row("embed.api_base", "SURR_EMBED_API_BASE", url("http", "https"), "Endpoint of an embedding server."),
    _secret("embed.api_key", "SURR_EMBED_API_KEY", "Key of the embedding vendor or server."),
)

_RETRIEVE = (
    _row("retrieve.mix", "SURR_INNER_VOICE_MIX", number(0.0, 1.0), "Share of the graph, 0 (thoughts only) to 1."),
    _row("retrieve.top_k", "SURR_INNER_VOICE_TOPK_DEFAULT", integer(1, 50), "How many snippets to return by default."),
    _row("retrieve.floor", "SURR_INNER_VOICE_FLOOR", number(0.0, 1.0), "The lowest cosine of a snippet."),
    _row(
        "retrieve.min_floor",
        "SURR_INNER_VOICE_MIN_FLOOR",
        inside(0.0, 1.0, otherwise=0.15),  # the spec's own fallback
        "The lowest floor for a source that would be empty.",
    ),
    _row(
        "retrieve.max_candidates_per_source",
        "SURR_INNER_VOICE_MAX_CANDIDATES_PER_SOURCE",
        integer(0, 100_000),  # 0 is no fault here: `coherence` raises it to what `top_k` needs
        "How many rows to score per source; at least top_k.",
    ),
    _row(
        "retrieve.provider",
        "SURR_INNER_VOICE_RETRIEVAL",
        word(),
        "How `voice retrieve` searches: local-vector, local-hybrid, local-fts, or an installed provider.",
    ),
    _row(
        "retrieve.reranker",
        "SURR_RERANKER",
        word(),
        "The re-ranker of `ask` and `--rerank`: auto (the one you installed, if any), none, or a name.",
    ),
)

_QUESTIONS = (
    _row("nlq.default_limit", "SURR_NLQ_DEFAULT_LIMIT", integer(1, 10_000), "How many rows an answer may use."),
    _row("nlq.max_limit", "SURR_NLQ_MAX_LIMIT", integer(1, 10_000), "The highest number of results you can ask for."),
    _row("nlq.max_keywords", "SURR_NLQ_MAX_KEYWORDS", integer(1, 100), "How many keywords to take from a question."),
    _row("nlq.enable_keyword_filter", "SURR_NLQ_ENABLE_KEYWORD_FILTER", flag(), "Uses quoted phrases as filters."),
    _row("nlq.timeout_ms", "SURR_NLQ_TIMEOUT_MS", integer(1, 600_000), "Time for one search.", "milliseconds"),
    _row("nlq.language", "SURR_LANGUAGE", one_of(*get_args(Language)), "Language of questions, tried first."),
    _row("time.timezone", "SURR_TIMEZONE", timezone(), "Your time zone, for days and dates."),
    _row("time.week_start", "SURR_WEEK_START", one_of("monday", "sunday", "saturday"), "First day of a week."),
    _row("time.hemisphere", "SURR_HEMISPHERE", one_of("north", "south"), "Where you live, for the months of summer."),
    _row(
        "time.date_order",
        "SURR_DATE_ORDER",
        one_of("month_first", "day_first"),
        "How to read 03/04/2024; by default in a question as its language does, in a file not at all.",
    ),
)

_LLM = (
    _row("llm.provider", "SURR_INNER_VOICE_PROVIDER", word(), "Who writes: gemini, extractive (offline), or a vendor."),
    _row("llm.model", "SURR_INNER_VOICE_MODEL", text("a model"), "The model, as its vendor names it."),
    _row("llm.api_base", "SURR_INNER_VOICE_API_BASE", url("http", "https"), "Endpoint of an OpenAI-compatible server."),
    _secret("llm.api_key", "SURR_INNER_VOICE_API_KEY", "Key of the provider or of the server at api_base."),
    _row(
        "llm.max_prompt_tokens", "SURR_INNER_VOICE_MAX_TOKENS", integer(1280, 2_000_000), "Size of a prompt.", "tokens"
    ),
    _row(
        "llm.max_output_tokens",
        "SURR_INNER_VOICE_MAX_OUTPUT_TOKENS",
        integer(64, 200_000),
        "Size of a reply, reasoning included.",
        "tokens",
    ),
    _row(
        "llm.temperature",
        "SURR_INNER_VOICE_TEMP",
        number(0.0, 2.0),
        "Temperature of every call; by default 0.8 to challenge and question, 0.2 to synthesize.",
    ),
    _row("llm.deadline_s", "SURR_INNER_VOICE_DEADLINE", number(1.0, 3600.0), "Time for one whole turn.", "seconds"),
    _row(
        "llm.stream",
        "SURR_INNER_VOICE_STREAM",
        flag(),
        "Streams replies, and ends a call whose sources cannot support an answer.",
    ),
    _row(
        "llm.quarantine_instructions",
        "SURR_QUARANTINE_INSTRUCTIONS",
        flag(),
        "Keeps notes that read like instructions to a model out of prompts and recall, and says so.",
    ),
    _row("llm.cost_tracking", "SURR_INNER_VOICE_COST_TRACKING", flag(), "Keeps the cost of each exchange."),
    _row(
        "llm.max_turn_cost",
        "SURR_INNER_VOICE_MAX_COST",
        money(),
        "The most that a turn may cost; no cap by default.",
        "US dollars",
    ),
    _row(
        "llm.max_session_cost",
        "SURR_INNER_VOICE_MAX_SESSION_COST",
        money(),
        "The most that a session may cost; no cap by default.",
        "US dollars",
    ),
    _row(
        "llm.max_day_cost",
        "SURR_INNER_VOICE_MAX_DAY_COST",
        money(),
        "The most that a day (of time.timezone) may cost; no cap by default.",
        "US dollars",
    ),
    _row(
        "llm.max_month_cost",
        "SURR_INNER_VOICE_MAX_MONTH_COST",
        money(),
        "The most that a month (of time.timezone) may cost; no cap by default.",
        "US dollars",
    ),
    _row(
        "llm.on_unknown_price",
        "SURR_INNER_VOICE_ON_UNKNOWN_PRICE",
        one_of("refuse", "allow"),
        "What a spending cap does when the price is unknown.",
    ),
)

_GROUNDING = (
    _row(
        "grounding.min_coverage", "SURR_INNER_VOICE_MIN_COVERAGE", number(0.0, 1.0), "Share of an answer to be proven."
    ),
    _row("grounding.min_sources", "SURR_INNER_VOICE_MIN_SOURCES", integer(1, 20), "Sources that an answer needs."),
    _row(
        "grounding.single_source",
        "SURR_INNER_VOICE_SINGLE_SOURCE",
        one_of("off", "green"),
        "green: one trusted source is enough if it covers everything.",
    ),
    _row(
        "grounding.on_unsupported",
        "SURR_INNER_VOICE_ON_UNSUPPORTED",
        one_of("mark", "cut", "refuse"),
        "What happens to an unsupported sentence of an answer: leave it out, mark it, or refuse the answer.",
    ),
    _row(
        "grounding.min_weight_share",
        "SURR_INNER_VOICE_MIN_WEIGHT_SHARE",
        number(0.0, 1.0),
        "Share of a claim that a row must carry to count as a source.",
    ),
)

_VERIFIER = (
    _row(
        "verifier.name",
        "SURR_VERIFIER",
        word(),
        "Who checks sentences that are not quoted: auto (the model, if one writes), none, llm, or an installed one.",
    ),
    _row(
        "verifier.model",
        "SURR_VERIFIER_MODEL",
        text("PROVIDER/MODEL"),
        "The model that checks, as PROVIDER/MODEL; by default the one that writes.",
    ),
    _secret("verifier.api_key", "SURR_VERIFIER_API_KEY", "Key of the provider whose model checks."),
    _row("verifier.timeout_s", "SURR_VERIFIER_TIMEOUT", number(0.1, 600.0), "Time for one verification.", "seconds"),
)


def _stance_rows(stance: Stance) -> tuple[Setting, ...]:
    """Return the rows by which a stance has some of the policy its own way: the policy's own readers, another place."""
    return tuple(
        _row(
            f"{stance.value}.{general.field}",
            general.env.replace("SURR_INNER_VOICE_", f"SURR_INNER_VOICE_{stance.name}_"),  # …_CHALLENGE_MIN_COVERAGE
            general.reader,
            f"`{general.name}` where the stance is {stance.value}; as there by default.",
        )
        for general in _GROUNDING
        if general.field in _OVERRIDABLE  # the others hold for every stance
    )


_OVERRIDABLE = frozenset(field.name for field in fields(PolicyOverrides))
STANCES: tuple[str, ...] = tuple(stance.value for stance in Stance)
"""The groups whose values are those of `grounding` while they are not set."""

_SESSION_AND_PRIVACY = (
    _row("session.timeout_hours", "SURR_INNER_VOICE_TIMEOUT", integer(1, 87_600), "Idle time of a session.", "hours"),
    _row(
        "session.window_limit", "SURR_INNER_VOICE_WINDOW", integer(1, 1000), "Exchanges before it sums up older ones."
    ),
    _row("session.window_keep", "SURR_INNER_VOICE_WINDOW_KEEP", integer(1, 1000), "Exchanges then kept word for word."),
    _row(
        "session.summary",
        "SURR_INNER_VOICE_SUMMARY",
        one_of("extractive", "llm"),
        "How to sum up older exchanges; llm asks the model and checks what it writes.",
    ),
    _row("privacy.no_log", "MCP_NO_LOG", flag(), "No logs, and no metrics beyond counters."),
    _row(
        "privacy.log_level",
        "SURR_LOG_LEVEL",
        one_of(*get_args(LogLevel)),
        "What to log on stderr; info: figures of each search, debug: ids, too; never text.",
    ),
    _row("privacy.metrics", "SURR_INNER_VOICE_METRICS", flag(), "Keeps figures of each turn, never text."),
    _row(
        "privacy.allow_private_remote",
        "SURR_ALLOW_PRIVATE_REMOTE",
        flag(),
        "Allows sending private notes to a provider on another machine.",
    ),
)

_ORGANISE = (
    _row("organise.top_k", "SURR_TOP_K", integer(1, 50), "How many notes `organise` uses."),
    _row("organise.sim_thresh", "SURR_SIM_THRESH", number(0.0, 1.0), "The lowest cosine of its notes."),
    _row("organise.db_limit", "SURR_DB_LIMIT", integer(1, 1_000_000), "How many rows it scores."),
    _row("organise.auto_mark_removal", "SURR_AUTO_MARK_REMOVAL", flag(), "Marks sources for removal after staging."),
    _row(
        "organise.auto_observations",
        "SURR_AUTO_OBSERVATIONS",
        one_of("human", "off"),
        "human: answers can cite your own sentences at once; off: all wait for review.",
    ),
    _row(
        "organise.auto_candidates",
        "SURR_AUTO_CANDIDATES",
        flag(),
        "Looks for names and relations in new notes; they wait for your review.",
    ),
    _row(
        "organise.extractor",
        "SURR_EXTRACTOR",
        one_of("rules", "llm", "both"),
        "How to find them: rules (offline), llm (the language model, at its price), or both.",
    ),
    _row(
        "organise.half_lives",
        "SURR_CONFIDENCE_HALF_LIVES",
        half_lives(),
        "What becomes less certain with time, e.g. works_at=730, relation=1825, born_in=never; shown, never stored.",
    ),
    _row(
        "sync.gone",
        "SURR_SYNC_GONE",
        one_of(*get_args(Gone)),
        "What to do with notes that leave a synced folder: keep (only --as-of finds them) or forget (for good).",
    ),
    _row("capture.ignore", "SURR_CAPTURE_IGNORE", globs(), "Directories whose sessions are not captured (globs)."),
    _row("archive.retention_days", "SURR_RETENTION_DAYS", integer(0, 36_500), "Time from marking to removal.", "days"),
    _row("archive.directory", "SURR_ARCHIVE_DIR", text("a path"), "Where removed thoughts are archived."),
    _row("archive.format", "SURR_ARCHIVE_FORMAT", one_of("parquet", "jsonl"), "Format of an archive."),
)

SETTINGS: tuple[Setting, ...] = (
    *_GATE_AND_STORE,
    *_OWNER_AND_SCOPE,
    *_EMBED,
    *_RETRIEVE,
    *_QUESTIONS,
    *_LLM,
    *_GROUNDING,
    *(row for stance in Stance for row in _stance_rows(stance)),
    *_VERIFIER,
    *_SESSION_AND_PRIVACY,
    *_ORGANISE,
)
BY_NAME: dict[str, Setting] = {setting.name: setting for setting in SETTINGS}
