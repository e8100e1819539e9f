"""What is refused before paying: `python -m bench.answerability --data FILE [--rows N] [--json]`.

Reads `memory-bench/1`. Every item is one row; the evidence of a question is the `N` rows that share the most telling
words with it, so that the figures are the rule's and not a retriever's. `catch_rate` is the share of unanswerable
questions refused, `false_refusal_rate` that of answerable ones; `answer_*` is what the judge's rule of relevance makes
of the question's own labelled evidence, quoted whole as the answer.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from math import log
from pathlib import Path
from typing import cast

from bench.report import progress
from voice.core.errors import DataFileError, VoiceError
from voice.core.grounding.answerability import can_be_grounded
from voice.core.grounding.passages import all_passages, speaker_of
from voice.core.grounding.relevance import is_relevant
from voice.core.grounding.values import Evidence, GroundingPolicy
from voice.core.records import TrustTier
from voice.core.text.normalise import content_hash
from voice.core.text.words import content_words


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One question with its label."""

    text: str
    category: str
    is_answerable: bool
    evidence: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One memory, ready to be searched by words."""

    rows: tuple[Evidence, ...]
    stems: tuple[frozenset[str], ...]
    weights: dict[str, float]
    questions: tuple[Asked, ...]

    def nearest(self, question: str, limit: int) -> list[Evidence]:
        """Return the rows that share the most telling words with `question`, best first."""
        wanted = {word.stem for word in content_words(question)}
        scored = [
            (sum(self.weights[stem] for stem in wanted & stems), -index) for index, stems in enumerate(self.stems)
        ]
        best = max(scored, default=(0.0, 0))[0]
        top = sorted(scored, reverse=True)[:limit]
        return [replace(self.rows[-index], relevance=score / best) for score, index in top if score > 0]


def read_memories(path: Path) -> list[Memory]:
    """Return the memories of a file.

    Raises:
        DataFileError: it cannot be read or is not of the format.
    """
    try:
        data = cast("dict[str, object]", json.loads(path.read_text(encoding="utf-8")))
        return [_memory(corpus) for corpus in cast("list[dict[str, object]]", data["corpora"])]
    except OSError as error:
        raise DataFileError(f"{path}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise DataFileError(f"{path} is not a memory-bench/1 file") from error


def _memory(corpus: dict[str, object]) -> Memory:
    rows = tuple(_row(item) for item in cast("list[dict[str, str | None]]", corpus["items"]))
    stems = tuple(frozenset(w.stem for w in content_words(f"{speaker_of(row) or ''}: {row.text}")) for row in rows)
    counts = Counter(stem for own in stems for stem in own)
    weights = Counter({stem: log(1 + len(rows) / count) for stem, count in counts.items()})
    questions = tuple(_asked(one) for one in cast("list[dict[str, object]]", corpus["questions"]))
    return Memory(rows=rows, stems=stems, weights=cast("dict[str, float]", weights), questions=questions)


def _row(item: dict[str, str | None]) -> Evidence:
    text = item["text"] or ""
    said_at = datetime.fromisoformat(str(item["created_at"]))
    return Evidence(
        alias=str(item["id"]),
        row_id=f"o:{item['id']}",
        source_type="kg_observation",
        text=text,
        shown=text,
        content_hash=content_hash(text),
        trust=TrustTier.GREEN,
        created_at=said_at if said_at.tzinfo else said_at.replace(tzinfo=UTC),
        speaker=item["speaker"],
    )


def _asked(one: dict[str, object]) -> Asked:
    return Asked(
        text=str(one["question"]),
        category=str(one["category"]),
        is_answerable=not one["unanswerable"],
        evidence=frozenset(str(item) for item in cast("list[object]", one["evidence"] or [])),
    )


def measure(memories: Sequence[Memory], limit: int) -> dict[str, object]:
    """Return the rates over all memories, and by category the share refused."""
    seen: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    cited: Counter[bool] = Counter()
    off: Counter[bool] = Counter()
    for memory in memories:
        by_id = {row.alias: row for row in memory.rows}
        for question in progress(memory.questions, "asking"):
            rows = memory.nearest(question.text, limit)
            key = question.category if question.is_answerable else "unanswerable"
            seen[key] += 1
            refused[key] += not can_be_grounded(question.text, rows, GroundingPolicy()).ok
            found = {row.alias: row for row in rows}
            gold = [found[item] for item in question.evidence if item in found]
            if gold and all(item in found for item in question.evidence & by_id.keys()):
                cited[question.is_answerable] += 1
                off[question.is_answerable] += not _is_relevant(question, gold, rows)
    answerable = [key for key in seen if key != "unanswerable"]
    return {
        "catch_rate": _rate(refused["unanswerable"], seen["unanswerable"]),
        "false_refusal_rate": _rate(sum(refused[key] for key in answerable), sum(seen[key] for key in answerable)),
        "by_category": {key: {"n": seen[key], "refused": _rate(refused[key], seen[key])} for key in sorted(seen)},
        "answer_caught": {"n": cited[False], "rate": _rate(off[False], cited[False])},
        "answer_falsely_off": {"n": cited[True], "rate": _rate(off[True], cited[True])},
    }


def _is_relevant(question: Asked, gold: Sequence[Evidence], rows: Sequence[Evidence]) -> bool:
    answer = " ".join(row.text for row in gold)
    return is_relevant(question.text, answer, [passage for row in gold for passage in all_passages(row)], rows)


def _rate(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark and print its report."""
    parser = argparse.ArgumentParser(prog="python -m bench.answerability", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="a memory-bench/1 file")
    parser.add_argument("--rows", type=int, default=60, help="how many rows are the evidence of a question")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(arguments)
    try:
        report = measure(read_memories(options.data), options.rows)
    except VoiceError as error:
        print(f"bench.answerability: {error}", file=sys.stderr)
        return error.exit_code
    print(
        json.dumps(report, indent=1) if options.json else "\n".join(f"{key}: {value}" for key, value in report.items())
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
