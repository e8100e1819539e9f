"""The report of a run: one document for programs, one page for people, one file of drafts for whoever labels them.

Law: the page is made from the document and says nothing that the document does not; only the file of drafts holds text.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, cast

from bench.real_model.asking import Outcome
from bench.real_model.models import Model
from bench.real_model.scoring import Labels, draft_id, gold_words, label_of, summary, text_of
from bench.report import machine
from voice.core.grounding.values import Draft

FORMAT: Final = "real-model/1"
_BEGIN: Final = "<!-- figures: written by `make e2e-llm PAGE=docs/real-model.md` -->\n"
_END: Final = "<!-- end of figures -->\n"
_Figures = Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFacts:
    """What the figures must be read beside."""

    model: Model
    budget: int
    output_tokens: int
    asked: int
    replayed: int
    missing: int


def document(outcomes: Sequence[Outcome], facts: RunFacts, labels: Labels) -> dict[str, object]:
    """Return the report without any text of a memory, a prompt or a reply."""
    groups = list(dict.fromkeys(one.case.group for one in outcomes))
    return {
        "format": FORMAT,
        "model": {"name": facts.model.name, "origin": facts.model.origin, "sha256": facts.model.sha256},
        "settings": {
            "temperature": 0.0,
            "max_prompt_tokens": facts.budget,
            "max_output_tokens": facts.output_tokens,
        },
        "calls": {"asked": facts.asked, "replayed": facts.replayed, "missing": facts.missing},
        "groups": {name: summary([one for one in outcomes if one.case.group == name], labels) for name in groups},
        "machine": machine(),
    }


def _spans(draft: Draft) -> list[list[str]]:
    """Return everything a draft cites, each once."""
    cited = dict.fromkeys(source for one in draft.sentences for source in one.sources)
    return [[source.source_id, source.span] for source in cited]


def details(outcomes: Iterable[Outcome], labels: Labels) -> str:
    """Return one JSON line a case, with texts."""
    lines = [
        {
            "group": one.case.group,
            "id": one.case.id,
            "category": one.case.category,
            "question": one.case.question,
            "known_answer": one.case.answer or None,
            "answerable": one.case.is_answerable,
            "evidence_shown": one.shown_evidence,
            "draft": text_of(one.draft) if isinstance(one.draft, Draft) else None,
            "spans": _spans(one.draft) if isinstance(one.draft, Draft) else [],
            "model_refused": isinstance(one.draft, Draft) and one.draft.refused,
            "draft_id": draft_id(one),
            "label": label_of(one, labels),
            "gold_words": gold_words(one),
            "calls": len(one.calls),
            "judged": {
                policy: {
                    "status": judged.status,
                    "reason": judged.reason,
                    "notes": judged.notes,
                    "coverage": judged.coverage,
                    "cited_evidence": judged.cited_evidence,
                    "vetoes": judged.vetoes,
                }
                for policy, judged in one.judged.items()
            },
        }
        for one in outcomes
    ]
    return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)


def page(report: Mapping[str, object]) -> str:
    """Return the report as Markdown."""
    groups = cast("Mapping[str, _Figures]", report["groups"])
    model, settings = cast("_Figures", report["model"]), cast("_Figures", report["settings"])
    calls = cast("_Figures", report["calls"])
    head = (
        f"`{model['name']}` (SHA-256 `{str(model['sha256'])[:12]}…`), temperature 0, prompts of at most "
        f"{settings['max_prompt_tokens']} estimated tokens, replies of {settings['max_output_tokens']}; "
        f"{calls['missing']} prompts without a reply."
    )
    return "\n\n".join([head, _model_table(groups), *(_policy_table(groups, name) for name in ("off", "green"))]) + "\n"


def _model_table(groups: Mapping[str, _Figures]) -> str:
    heads = (
        "questions", "asked", "evidence shown", "model refused", "repaired", "malformed", "answers", "right", "wrong",
        "CPU s p50", "p95", "tokens in", "cached", "out",
    )  # fmt: skip
    return _table("what the model did", heads, {name: _model_row(figures) for name, figures in groups.items()})


def _model_row(figures: _Figures) -> list[object]:
    model, drafts = cast("_Figures", figures["model"]), cast("_Figures", figures["drafts"])
    cpu = cast("_Figures", model["server_cpu_s"])
    return [
        figures["questions"], model["asked"], figures["evidence_shown"], model["refused_itself"], model["repaired"],
        model["malformed_last"], drafts["answers"], drafts["labelled_right"], drafts["labelled_wrong"], cpu["p50"],
        cpu["p95"], model["input_tokens"], model["cached_tokens"], model["output_tokens"],
    ]  # fmt: skip


def _policy_table(groups: Mapping[str, _Figures], policy: str) -> str:
    heads = (
        "accepted", "of answerable", "false", "unanswerable", "no evidence cited", "labelled wrong", "obeyed",
        "right refused", "wrong refused", "refused, by reason",
    )  # fmt: skip
    rows = {name: _policy_row(figures, policy) for name, figures in groups.items()}
    return _table(f"`single_source = {policy}`", heads, rows)


def _policy_row(figures: _Figures, policy: str) -> list[object]:
    own = cast("Mapping[str, _Figures]", figures["policies"])[policy]
    kinds, refused = cast("_Figures", own["false_accepts_by_kind"]), cast("_Figures", own["refused"])
    reasons = ", ".join(f"{reason} {count}" for reason, count in refused.items())
    return [
        own["accepted"],
        f"{own['accepted_of_answerable']}/{figures['answerable']}",
        own["false_accepts"],
        *(kinds[kind] for kind in ("to_unanswerable", "citing_no_evidence", "labelled_wrong", "obeying_a_memory")),
        own["right_drafts_refused"],
        own["wrong_drafts_refused"],
        reasons,
    ]


def _table(corner: str, heads: Sequence[str], rows: Mapping[str, Sequence[object]]) -> str:
    lines = [[corner, *heads], ["---"] * (len(heads) + 1), *([name, *map(str, row)] for name, row in rows.items())]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def with_figures(text: str, figures: str) -> str:
    """Return a page with its figures replaced by `figures`.

    Raises:
        ValueError: the page does not say where they stand.
    """
    before, begin, rest = text.partition(_BEGIN)
    _, end, after = rest.partition(_END)
    if not begin or not end:
        raise ValueError(f"the page needs a line {_BEGIN.strip()} and a line {_END.strip()}")
    return f"{before}{begin}\n{figures}\n{end}{after}"
