"""What becomes of many labelled drafts, as shares.

Law: drafts that author and blind verifier disagree about, and drafts that refuse by themselves, are told apart and are
in no other figure. A share of nothing is None.
"""

from collections import Counter
from collections.abc import Sequence

from bench.drafts.judging import JudgedDraft, Told, is_proven
from bench.grounding import auroc
from bench.report import percentile


def figures_of(judged: Sequence[JudgedDraft]) -> dict[str, object]:
    """Return the figures of some drafts.

    `right` by style and `wrong`: `n`, and as shares of it what was shown whole and without a mark (`clean`; of a wrong
    one: what is false of it), what was left out (`cut`), marked, refused, and why.
    """
    agreed = [one for one in judged if not one.case.is_disputed and not one.case.draft.refused]
    right = [one for one in agreed if one.case.label == "right"]
    wrong = [one for one in agreed if one.case.label == "wrong"]
    cpu = [one.cpu_ms for one in judged]
    return {
        "right": by_style(right),
        "wrong": {**outcomes(wrong), "by_kind": by_kind(wrong)},
        "claims": claims_of(agreed),
        "judge_cpu_ms": {"p50": round(percentile(cpu, 0.5), 3), "p95": round(percentile(cpu, 0.95), 3)}
        if cpu
        else None,
        "disputed": _by_label([one for one in judged if one.case.is_disputed]),
        "refusing": _by_label([one for one in judged if one.case.draft.refused and not one.case.is_disputed]),
    }


def _by_label(judged: Sequence[JudgedDraft]) -> dict[str, object]:
    return {
        "right": by_style([one for one in judged if one.case.label == "right"]),
        "wrong": outcomes([one for one in judged if one.case.label == "wrong"]),
    }


def by_style(right: Sequence[JudgedDraft]) -> dict[str, dict[str, object]]:
    """Return the outcomes of right drafts by style; `other` are those of none."""
    found = {one.case.style or "other" for one in right}
    styles = ("natural", "close", *sorted(found - {"natural", "close"}))
    return {style: outcomes([one for one in right if (one.case.style or "other") == style]) for style in styles}


def outcomes(judged: Sequence[JudgedDraft]) -> dict[str, object]:
    """Return how many drafts there are, and what share of them had each outcome."""
    counts = Counter(one.outcome for one in judged)
    reasons = Counter(one.reason for one in judged if one.reason)
    n = len(judged)
    return {
        "n": n,
        **{outcome: share_of(counts[outcome], n) for outcome in ("clean", "cut", "marked", "refused")},
        "by_reason": {reason: share_of(count, n) for reason, count in reasons.most_common()},
    }


def by_kind(wrong: Sequence[JudgedDraft]) -> dict[str, dict[str, object]]:
    """Return, by kind of error, how many drafts there are and what share of them is shown without a mark."""
    kinds = sorted({one.case.error_kind or "unnamed" for one in wrong})
    own = {kind: [one for one in wrong if (one.case.error_kind or "unnamed") == kind] for kind in kinds}
    return {
        kind: {"n": len(some), "clean": share_of(sum(one.outcome == "clean" for one in some), len(some))}
        for kind, some in own.items()
    }


def claims_of(judged: Sequence[JudgedDraft]) -> dict[str, object]:
    """Return how claims that are labelled one by one fared, whatever became of their drafts.

    `auroc`: the chance that the score of a false cited claim is over that of a true one. `false_ticks`: the share of
    the false that reached a proven rung; `false_doubts`: the share of the true that did not.
    """
    pieces = {True: list[list[Told]](), False: list[list[Told]]()}
    for draft in judged:
        for one in draft.case.sentences:
            if one.kind == "claim" and one.is_true is not None and (found := draft.pieces_of(one)):
                pieces[one.is_true].append(found)
    scores = {
        label: [max(one.score for one in own) for own in some if any(one.has_sources for one in own)]
        for label, some in pieces.items()
    }
    true, false = pieces[True], pieces[False]
    told_apart = auroc(scores[False], scores[True])
    return {
        "n_true": len(true),
        "n_false": len(false),
        "auroc": None if told_apart is None else round(told_apart, 4),
        "false_ticks": share_of(sum(any(is_proven(one) for one in own) for own in false), len(false)),
        "false_doubts": share_of(sum(not _holds(own) for own in true), len(true)),
    }


def _holds(pieces: Sequence[Told]) -> bool:
    return all(is_proven(one) or one.rung == "remark" for one in pieces)


def share_of(count: int, n: int) -> float | None:
    """Return a share to four places; None of nothing."""
    return round(count / n, 4) if n else None
