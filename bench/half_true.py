"""How many half-true sentences are caught: `python -m bench.half_true --data FILE [--turns N] [--json]`.

Takes sentences of a `memory-bench/1` file as the true half, cites the row they stand in, and glues a clause to each
that the row does not hold: with "and", "but", "because", "which", a participle, an apposition, a semicolon. All of
these should be flagged. Beside them stands what should pass: the sentence alone, and two sentences of one row made one.
A clause may be a short one of everyday words or what somebody said in another memory. `whole` is the share that would
be flagged without looking at parts, `named` the share of the flagged whose verdict points at the invented part and not
at the true one. Seeded: one file, one set of figures.
"""

import argparse
import json
import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bench.corpus import read_corpora
from bench.report import progress, table
from voice.core.errors import VoiceError
from voice.core.grounding.claims import Grounds, Judged, judge_sentence
from voice.core.grounding.passages import all_passages
from voice.core.grounding.values import Evidence, GroundingPolicy
from voice.core.grounding.who import people_of
from voice.core.records import Thought, TrustTier
from voice.core.text.normalise import content_hash
from voice.core.text.sentences import sentences
from voice.core.text.words import content_words, words

THRESHOLD = GroundingPolicy().support_threshold
TAILS: dict[str, tuple[str, ...]] = {
    "and": (
        " and moved to Bergen",
        " and sold the old boat",
        " and forgot to lock the kitchen door",
        " and the neighbour complained about the noise",
        " and lost the keys on the way home",
    ),
    "but": (
        " but the landlord refused",
        " but never told the dentist",
        " but the ferry was cancelled",
        " but regretted it within a week",
    ),
    "because": (
        " because the doctor insisted",
        " because the roof was leaking",
        " because a cousin lent the money",
        " because the factory closed",
    ),
    "which": (
        ", which annoyed the whole office",
        ", which ended in a lawsuit",
        ", which the insurance paid for",
        ", which surprised the mayor",
    ),
    "participle": (
        ", costing 400 euros",
        ", paying with borrowed money",
        ", leaving the garage empty",
        ", hoping to impress a banker",
    ),
    "apposition": (
        ", a gift from the mayor",
        ", the third accident of the winter",
        ", a plan of the tax adviser",
        ", an idea of the plumber",
    ),
    "semicolon": (
        "; the police were called",
        "; a lawyer drew up the contract",
        "; the wedding was postponed",
        "; nobody paid the electrician",
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One sentence and the row it cites."""

    kind: str
    sentence: str
    row: Thought
    joint: int | None
    """Where the invented clause begins; None for what is true."""


def trials_of(rows: Sequence[Thought], others: Sequence[Thought], count: int, seed: int = 7) -> list[Trial]:
    """Return the trials made of `count` rows, with clauses of `others` for what was said in another memory."""
    chance = random.Random(seed)
    told = [(row, [one for one in map(_bare, sentences(row.content)) if _is_fit(one)]) for row in rows]
    fit = [(row, own) for row, own in told if own]
    foreign = [one for row in others for one in map(_bare, sentences(row.content)) if _is_fit(one)]
    chosen = chance.sample(fit, min(count, len(fit)))
    return [trial for row, own in chosen for trial in _trials(row, own, chance, foreign)]


def _trials(row: Thought, own: Sequence[str], chance: random.Random, foreign: Sequence[str]) -> list[Trial]:
    true = own[0]
    trials = [Trial(kind="true: the sentence", sentence=f"{true}.", row=row, joint=None)]
    if len(own) > 1:
        joined = f"{true} and {_lowered(own[1])}."
        trials.append(Trial(kind="true: two of one row", sentence=joined, row=row, joint=None))
    for kind, tails in TAILS.items():
        trials.append(_glued(kind, true, chance.choice(tails), row))
    if foreign:
        trials.append(_glued("another memory", true, f" and {_lowered(chance.choice(foreign))}", row))
    return trials


def _glued(kind: str, true: str, tail: str, row: Thought) -> Trial:
    return Trial(kind=kind, sentence=f"{true}{tail}.", row=row, joint=len(true))


def _bare(sentence: str) -> str:
    return sentence.rstrip(".!… ")


def _is_fit(sentence: str) -> bool:
    """Return whether a sentence states enough on its own to be half of another."""
    said = words(sentence)
    return 6 <= len(said) <= 25 and len(content_words(sentence)) >= 3 and "?" not in sentence and sentence[-1].isalnum()


def _lowered(sentence: str) -> str:
    return sentence if sentence.startswith(("I ", "I'")) else sentence[:1].lower() + sentence[1:]


def judged(trial: Trial) -> Judged:
    """Return the judgement on a trial's sentence against the row it cites."""
    row = Evidence(
        alias="S1",
        row_id=trial.row.id,
        source_type="kg_observation",
        text=trial.row.content,
        shown=trial.row.content,
        content_hash=content_hash(trial.row.content),
        trust=TrustTier.GREEN,
        created_at=datetime(1, 1, 1, tzinfo=UTC),
        speaker=trial.row.speaker,
    )
    grounds = Grounds(rows=(row,), passages=tuple(all_passages(row)), people=people_of([row]))
    return judge_sentence(trial.sentence, grounds, THRESHOLD)


def _is_flagged_whole(found: Judged) -> bool:
    """Return whether the sentence would be unsupported by its score and its hard checks alone."""
    parts = sum(finding.weight for finding in found.findings if finding.flag == "part")
    hard = any(finding.effect != "note" for finding in found.findings)
    return hard or (found.score or 0.0) - parts > THRESHOLD


def _points_at_invention(trial: Trial, found: Judged) -> bool:
    """Return whether the parts that are not supported are those of the invented clause alone."""
    bad = [part for part in found.parts if part.verdict != "supported"]
    return bool(bad) and trial.joint is not None and all(part.start >= trial.joint for part in bad)


def measure(trials: Sequence[Trial]) -> dict[str, dict[str, float | int | None]]:
    """Return, for each kind of sentence, how many were tried, the share flagged, and the share well named."""
    result: dict[str, dict[str, float | int | None]] = {}
    outcomes = [(trial, judged(trial)) for trial in progress(trials, "half-true")]
    for kind in sorted({trial.kind for trial in trials}):
        own = [(trial, found) for trial, found in outcomes if trial.kind == kind]
        flagged = [(trial, found) for trial, found in own if found.verdict in ("unsupported", "contradicted")]
        named = sum(_points_at_invention(trial, found) for trial, found in flagged)
        is_true = own[0][0].joint is None
        result[kind] = {
            "n": len(own),
            "whole": round(sum(map(_is_flagged_whole, (found for _, found in own))) / len(own), 4),
            "flagged": round(len(flagged) / len(own), 4),
            "named": None if is_true or not flagged else round(named / len(flagged), 4),
        }
    return result


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark and print its report."""
    parser = argparse.ArgumentParser(prog="python -m bench.half_true", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="a memory-bench/1 file")
    parser.add_argument("--turns", type=int, default=300, help="how many rows to take true halves from")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(arguments)
    try:
        corpora = read_corpora(options.data)
    except VoiceError as error:
        print(f"bench.half_true: {error}", file=sys.stderr)
        return error.exit_code
    rows = [row for corpus in corpora[:-1] or corpora for row in corpus.rows]
    others = [row for corpus in corpora[-1:] if len(corpora) > 1 for row in corpus.rows]
    result = measure(trials_of(rows, others, options.turns))
    lines = [
        [kind, *("–" if figure is None else str(figure) for figure in own.values())] for kind, own in result.items()
    ]
    print(
        json.dumps(result, indent=1) if options.json else table(["sentence", "n", "whole", "flagged", "named"], lines)
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
