"""What share of human-checked statements and evidence is recovered."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from math import fsum
from pathlib import Path
from typing import Any

from bench.extraction_scores import statements_of
from voice.core.records import Origin, Thought
from voice.core.text.language_data import word_weight
from voice.core.text.words import words

_DAY = datetime(2023, 6, 1, tzinfo=UTC)
_HALF = 0.5


@dataclass(frozen=True, slots=True)
class Recovered:
    """How many of how many."""

    found: int
    wanted: int

    @classmethod
    def together(cls, some: Sequence["Recovered"]) -> "Recovered":
        """Return all of them together."""
        return cls(sum(one.found for one in some), sum(one.wanted for one in some))

    def as_json(self) -> dict[str, object]:
        """Return the figures as they are printed; a precision there is none."""
        return {
            "precision": None,
            "recall": round(self.found / self.wanted, 4) if self.wanted else None,
            "n": self.wanted,
        }


def recovered_statements(path: Path) -> Recovered:
    """Return how many supported statements of a `grounding-bench/1` file are held by observations of their sources."""
    found = wanted = 0
    for line in path.read_text(encoding="utf-8-sig").splitlines():
        row: dict[str, Any] = json.loads(line) if line.strip() else {}
        if row.get("label") != "supported":
            continue
        wanted += 1
        thoughts = [_message(source["text"], f"t:{number}") for number, source in enumerate(row["sources"])]
        texts = [
            f"{each.speaker or ''} {each.content[start:end]}" for each in thoughts for start, end in statements_of(each)
        ]
        found += any(_held(row["answer"], text) >= _HALF for text in texts)
    return Recovered(found, wanted)


def recovered_evidence(path: Path) -> Recovered:
    """Return how many items that questions of a `memory-bench/1` file rest on are held by their observations."""
    found = wanted = 0
    for corpus in json.loads(path.read_text(encoding="utf-8-sig"))["corpora"]:
        needed = {item for question in corpus["questions"] for item in question["evidence"]}
        for item in corpus["items"]:
            if item["id"] not in needed:
                continue
            moment = datetime.fromisoformat(item["created_at"][:10] + "T00:00:00+00:00")
            thought = _thought("t:item", item["text"], item.get("speaker"), moment)
            held = " ".join(thought.content[start:end] for start, end in statements_of(thought))
            wanted += 1
            found += _held(item["text"], held) >= _HALF
    return Recovered(found, wanted)


def _message(text: str, row_id: str) -> Thought:
    speaker, colon, said = text.partition(": ")
    is_said = bool(colon) and len(speaker) < 30
    return _thought(row_id, said if is_said else text, speaker if is_said else None, _DAY)


def _thought(row_id: str, text: str, speaker: str | None, moment: datetime) -> Thought:
    return Thought(id=row_id, content=text, created_at=moment, recorded_at=moment, origin=Origin.HUMAN, speaker=speaker)


def _held(wanted: str, text: str) -> float:
    """Return what share of the weight of the words of `wanted` stands in `text`."""
    telling = {word.stem for word in words(wanted) if not word.is_stop}
    there = {word.stem for word in words(text)}
    whole = fsum(map(word_weight, telling))
    return fsum(word_weight(stem) for stem in telling & there) / whole if whole else 1.0
