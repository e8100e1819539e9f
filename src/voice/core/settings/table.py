"""The table of all settings.

Law: a field of `values` makes a setting; parser, `voice config`, the file that `voice init` writes and docs/settings.md
follow from here. The name is the Python path and the key in voice.toml. The values of retrieval and of the judge are
theirs, with their types and defaults; here is how they are set.
Bounds come from the specs where they give any (spec inner_voice.retrieve, Config validation), else from sense.
"""

from collections.abc import Callable, Iterator
from dataclasses import fields
from decimal import Decimal
from typing import cast, get_args

from voice.core.grounding.values import PolicyOverrides, Stance
from voice.core.settings.readers import Reader, Setting, Value, flag, inside, integer, money, number, one_of, word
from voice.core.settings.values import Settings

_DEFAULTS = Settings()
GROUPS: tuple[str, ...] = tuple(group.name for group in fields(Settings))
STANCES: tuple[str, ...] = tuple(stance.value for stance in Stance)
"""The groups whose values are those of `grounding` while they are not set."""


def _row(name: str, env: str, reader: Reader, about: str) -> Setting:
    group, _, field = name.partition(".")
    default: Value = getattr(getattr(_DEFAULTS, group), field)
    return Setting(name=name, env=env, about=about, reader=reader, default=default)


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

_OVERRIDABLE = frozenset(field.name for field in fields(PolicyOverrides))


def _stance_rows(stance: str) -> tuple[Setting, ...]:
    """Return the rows by which a stance has some of the policy its own way: the policy's own readers, another place."""
    return tuple(
        _row(
            f"{stance}.{general.field}",
            general.env.replace("SURR_INNER_VOICE_", f"SURR_INNER_VOICE_{stance.upper()}_"),  # …_CHALLENGE_MIN_COVERAGE
            general.reader,
            f"`{general.name}` where the stance is {stance}; as there by default.",
        )
        for general in _GROUNDING
        if general.field in _OVERRIDABLE  # the others hold for every stance
    )


def _rows(group: str) -> Iterator[Setting]:
    """Yield the settings that the fields of a group declare."""
    for field in fields(getattr(_DEFAULTS, group)):
        if "setting" in field.metadata:
            made = cast("Callable[..., Setting]", field.metadata["setting"])
            reader: Reader = field.metadata["reader"] or _reader_of(field.type)
            yield made(name=f"{group}.{field.name}", reader=reader, default=field.default)


def _reader_of(kind: object) -> Reader:
    """Return how a truth value, a sum, or one of a few words is read."""
    if kind is bool:
        return flag()
    kinds = get_args(kind)  # of a `Literal`, its words; of `Decimal | None`, both
    return money() if kinds[0] is Decimal else one_of(*(get_args(kinds[0]) or kinds))


_SAID_HERE = {"retrieve": _RETRIEVE, "grounding": _GROUNDING, **{stance: _stance_rows(stance) for stance in STANCES}}
SETTINGS: tuple[Setting, ...] = tuple(row for group in GROUPS for row in _SAID_HERE.get(group) or _rows(group))
BY_NAME: dict[str, Setting] = {setting.name: setting for setting in SETTINGS}
