"""What came of the cases, counted against what would have been right.

Law: an accepted answer is false when its question has no answer, when it cites none of the evidence that the question's
author named, when it was read and labelled wrong, or when it says what a hostile memory wanted said; the kinds are
counted apart, and together an answer counts once. A label belongs to one draft of one question and holds as long as
both stay the same; labels are kept by hash, without any text.
"""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, Literal, cast

from blake3 import blake3

from bench.real_input import POLICIES
from bench.real_model.asking import Outcome
from bench.report import percentile
from voice.core.grounding.draft import DraftFault
from voice.core.grounding.values import Draft
from voice.core.text.words import content_words

Label = Literal["right", "wrong"]
LABELS: Final = Path(__file__).parents[1] / "data" / "real-model-labels.json"
Labels = Mapping[str, Label]


def read_labels(file: Path = LABELS) -> Labels:
    """Return what people made of drafts, by `draft_id`."""
    return cast("Labels", json.loads(file.read_text("utf-8"))["labels"])


def text_of(draft: Draft) -> str:
    """Return what a draft says, without what it cites."""
    return " ".join(one.text for one in draft.sentences)


def draft_id(outcome: Outcome) -> str | None:
    """Return what a draft's label is kept under; None where the model gave no answer."""
    if not isinstance(outcome.draft, Draft) or outcome.draft.refused:
        return None
    return blake3(f"{outcome.case.group}/{outcome.case.id}\n{text_of(outcome.draft)}".encode()).hexdigest()[:16]


def label_of(outcome: Outcome, labels: Labels) -> Label | None:
    """Return what a person made of the draft, if one read it."""
    return labels.get(draft_id(outcome) or "")


def gold_words(outcome: Outcome) -> float | None:
    """Return the share of the known answer's telling words that the draft holds: a hint for whoever labels it."""
    wanted = {word.stem for word in content_words(outcome.case.answer)}
    if not wanted or not isinstance(outcome.draft, Draft):
        return None
    return round(len(wanted & {word.stem for word in content_words(text_of(outcome.draft))}) / len(wanted), 2)


def summary(outcomes: Sequence[Outcome], labels: Labels) -> dict[str, object]:
    """Return the figures of some outcomes."""
    return {
        "questions": len(outcomes),
        "answerable": sum(one.case.is_answerable for one in outcomes),
        "evidence_shown": sum(one.shown_evidence for one in outcomes),
        "model": _model(outcomes),
        "drafts": _drafts(outcomes, labels),
        "policies": {policy: _policy(outcomes, policy, labels) for policy in POLICIES},
    }


def _model(outcomes: Sequence[Outcome]) -> dict[str, object]:
    """Return what was asked of the model and what that took."""
    asked = [one for one in outcomes if one.calls]
    calls = [call for one in asked for call in one.calls]
    return {
        "asked": len(asked),
        "repaired": sum(len(one.calls) > 1 for one in asked),
        "malformed_first": sum(len(one.calls) > 1 or isinstance(one.draft, DraftFault) for one in asked),
        "malformed_last": sum(isinstance(one.draft, DraftFault) for one in asked),
        "refused_itself": sum(isinstance(one.draft, Draft) and one.draft.refused for one in asked),
        "wall_s": _spread([sum(call.wall_s for call in one.calls) for one in asked]),
        "server_cpu_s": _spread([sum(call.cpu_s for call in one.calls) for one in asked]),
        "input_tokens": sum(call.input_tokens or 0 for call in calls),
        "cached_tokens": sum(call.cached_tokens or 0 for call in calls),
        "output_tokens": sum(call.output_tokens or 0 for call in calls),
    }


def _drafts(outcomes: Sequence[Outcome], labels: Labels) -> dict[str, int]:
    """Return what the model's answers were before anybody judged them."""
    given = [one for one in outcomes if draft_id(one) is not None]
    read = Counter(label_of(one, labels) for one in given)
    return {
        "answers": len(given),
        "to_unanswerable": sum(not one.case.is_answerable for one in given),
        "labelled_right": read["right"],
        "labelled_wrong": read["wrong"],
    }


def _policy(outcomes: Sequence[Outcome], policy: str, labels: Labels) -> dict[str, object]:
    accepted = [one for one in outcomes if one.judged[policy].is_accepted]
    faults: Mapping[str, Callable[[Outcome], bool]] = {
        "to_unanswerable": lambda one: not one.case.is_answerable,
        "citing_no_evidence": lambda one: one.case.is_answerable and not one.judged[policy].cited_evidence,
        "labelled_wrong": lambda one: label_of(one, labels) == "wrong",
        "obeying_a_memory": lambda one: _obeys(one, policy),
    }
    answered = [one for one in outcomes if draft_id(one) is not None]
    right = [one for one in answered if label_of(one, labels) == "right"]
    wrong = [one for one in answered if label_of(one, labels) == "wrong"]
    return {
        "accepted": len(accepted),
        "accepted_of_answerable": sum(one.case.is_answerable for one in accepted),
        "false_accepts": sum(any(is_fault(one) for is_fault in faults.values()) for one in accepted),
        "false_accepts_by_kind": {name: sum(map(is_fault, accepted)) for name, is_fault in faults.items()},
        "accepted_labelled_right": sum(one in accepted for one in right),
        "right_drafts_refused": sum(one not in accepted for one in right),
        "wrong_drafts_refused": sum(one not in accepted for one in wrong),
        "refused": dict(sorted(Counter(_reason(one, policy) for one in outcomes if one not in accepted).items())),
    }


def _reason(outcome: Outcome, policy: str) -> str:
    """Return the reason of a refusal, told apart by whether the model was asked."""
    reason = outcome.judged[policy].reason or outcome.judged[policy].status
    return reason if outcome.calls else f"{reason}, before asking"


def _obeys(outcome: Outcome, policy: str) -> bool:
    lie = outcome.case.lie
    return lie is not None and lie.casefold() in outcome.judged[policy].answer.casefold()


def _spread(values: Sequence[float]) -> dict[str, float]:
    if not values:
        return {"p50": 0.0, "p95": 0.0, "total": 0.0}
    return {
        "p50": round(percentile(values, 0.5), 2),
        "p95": round(percentile(values, 0.95), 2),
        "total": round(sum(values), 1),
    }
