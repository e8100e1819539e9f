"""Every public function of the core, and of a few modules beside it, that a text may be given to.

Law: found by what their arguments are annotated with, so that a new one is measured from its first day. The table of
those that are left out says of each why; a test finds one that is new and cannot be called with what is made for it.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Final

from compiled_patterns import modules
from made_values import hints_of, holds_text
from voice.core.grounding.extractive.evidence_sentences import MOST_READ

Taker = Callable[..., object]

_BESIDE: Final = frozenset(
    {
        "adapters.files.front_matter",
        "adapters.index.columns",
        "adapters.index.stemming",
        "adapters.index.terms",
        "adapters.llm.provider_errors",
        "adapters.onnx.session",
        "entrypoints.shared.moments",
        "entrypoints.mcp.json_rpc",
        "entrypoints.mcp.arguments",
        "entrypoints.web.responses",
        "entrypoints.web.pages.conversations.turn_pages",
        "entrypoints.web.pages.excerpts",
        "entrypoints.web.pages.addresses",
        "entrypoints.web.pages.review.queue_requests",
    }
)
"""Modules beside the core that read texts and do nothing else."""
_LENGTHS: Final = {"grounding.extractive.": MOST_READ}
"""How long a text is that reaches the functions of a package, whose doors cut it: by what their names begin with."""
DOORS: Final = frozenset(
    {"grounding.extractive.answer_composition.compose_answer", "grounding.extractive.evidence_sentences.sentences_of"}
)
"""Those that cut what reaches the others."""
_INSIDE = "what it takes belongs together, and was made of one reading"
_FIXED = "names of the program's own, and no text of anybody's"
_STORED = "the verdicts of an earlier judge, as they were stored"
_SETTINGS: Final = "a host's settings, which are JSON and whose length is bounded"
LEFT_OUT: Final[Mapping[str, str]] = {
    "adapters.onnx.session.move_gather_first": "a model's file, whose hash was checked",
    "adapters.onnx.session.open_session": "a model's file, whose hash was checked",
    "answering.answer_rules.weighted_sum": "numbers",
    **{f"capture.hosts.{name}": _SETTINGS for name in ("appended", "child_named", "children", "without")},
    **{
        f"capture.hosts.{name}": "a host's settings, whose length is bounded, through tomllib"
        for name in ("has_toml_hooks", "toml_commands", "toml_with_hook", "toml_without_hook")
    },
    "entrypoints.web.pages.addresses.fields_of": "a request, whose length is bounded",
    "entrypoints.web.pages.addresses.require_known": "a request, whose length is bounded",
    "entrypoints.web.pages.addresses.require_owner": "a request, whose length is bounded",
    "entrypoints.web.pages.addresses.url_with_private": "a request, whose length is bounded",
    "entrypoints.web.responses.event_stream_response": "the events of a turn",
    "entrypoints.web.responses.openai_answer": "a problem of the program's own",
    "entrypoints.web.responses.openai_error": "a problem of the program's own",
    "entrypoints.web.responses.speaks_openai": "the address of a request, whose length is bounded",
    "extraction.entity_types.evidence_for": _INSIDE,
    "graph.row_display.parse_half_lives": "a setting of the owner's",
    "graph.review.promotion.plan_promotion": _INSIDE,
    "graph.review.staging.choose_candidates": _INSIDE,
    "graph.subgraph.most_connected": _INSIDE,
    "graph.review.decisions.approved_relations": _INSIDE,
    "graph.review.decisions.names_in_decisions": _INSIDE,
    "grounding.extractive.answer_composition.task_draft": _INSIDE,
    "grounding.verifier_calibration.labelled_claims": "a file of the package",
    "render.turn_json.brief_retrieve": "an answer of retrieve, whose length is bounded",
    "grounding.verifier_calibration.trials": "a file of the package",
    "nlq.relative_times.from_today": _INSIDE,
    "nlq.relative_times.future_window": _INSIDE,
    "nlq.phrase_tables.builders.second": _FIXED,
    "nlq.phrase_tables.reading.read_table": "a file of the package",
    "render.picture.drawing.draw": _INSIDE,
    "render.reports.report_rows": "numbers",
    "retrieval.selection_rules.passes": "numbers",
    **{
        f"session.turn_traces.{name}": _STORED
        for name in ("commitments", "plain_members", "redact", "values_of", "with_link")
    },
    "session.forgetting.exchange_without": _STORED,
    "session.exchange.as_written": _STORED,
    "session.document.build_document": _STORED,
    "settings.describe.describe": _FIXED,
    "settings.describe.value_of": _FIXED,
    "text.artifacts.shape_numbers": _FIXED,
    "text.artifacts.shape_words": _FIXED,
    **{f"text.language_data.{name}": _FIXED for name in ("entries", "every_phrase", "every_word", "language_tables")},
    **{f"text.language_data.{name}": _FIXED for name in ("listed_pattern", "opening_phrase", "phrase_pattern")},
    "text.word_lists.language_file": _FIXED,
    "text.injection_cue_words.bits_at": _FIXED,
    "text.injection_cue_words.bits_of": _FIXED,
    "text.prompt_injection.instruction_weight": _FIXED,
}
"""By functions: why no text from outside is given to them alone."""


def name_of(taker: Taker) -> str:
    """Return where a function is found."""
    return f"{taker.__module__}.{taker.__qualname__}".removeprefix("voice.").removeprefix("core.")


def longest_for(taker: Taker, longest: int) -> int:
    """Return how long a text is given to a function: `longest`, or as much as its package's doors let through."""
    name = name_of(taker)
    lengths = (chars for begins, chars in _LENGTHS.items() if name.startswith(begins) and name not in DOORS)
    return min(next(lengths, longest), longest)


@cache
def takers(*, everything: bool = False) -> tuple[Taker, ...]:
    """Return the functions; those that stand in `LEFT_OUT` too where `everything` is wanted."""
    found = [
        value
        for module in modules()
        if module.__name__.startswith("voice.core.") or module.__name__.removeprefix("voice.") in _BESIDE
        for name, value in vars(module).items()
        if name[0] != "_" and callable(value) and not isinstance(value, type)
        if getattr(value, "__module__", None) == module.__name__ and _takes_text(value)
    ]
    return tuple(each for each in found if everything or name_of(each) not in LEFT_OUT)


def _takes_text(value: Taker) -> bool:
    hints = hints_of(value)
    return any(holds_text(hint) for name, hint in hints.items() if name != "return")
