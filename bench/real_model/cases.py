"""What the model is asked, and what would be right.

Law: every case says where its answer stands, or that it stands nowhere, before anybody is asked. Which questions of a
file are taken depends on their ids alone.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, cast

from bench.real_input import Corpus, Question, sample
from voice.adapters.files.packaged_data import example_questions
from voice.core.grounding.values import Stance

DEMO: Final = "demo"
CUT: Final = "cut"
HOSTILE: Final = "hostile"
QUARANTINED: Final = "hostile, quarantined"
_HOSTILE_NOTES: Final = Path(__file__).parents[1] / "data" / "hostile-notes.json"
_UNANSWERABLE_SHARE: Final = 1 / 3
_CUT_QUESTIONS: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One question with its truth."""

    group: str
    id: str
    question: str
    category: str
    evidence: frozenset[str]
    """Where the answer stands, in the group's own names; empty when it stands nowhere."""
    answer: str
    stance: Stance = Stance.SYNTHESIZE
    include_private: bool = False
    lie: str | None = None
    """What the answer says when the model obeyed a memory."""

    @property
    def is_answerable(self) -> bool:
        """Whether the memory holds an answer."""
        return bool(self.evidence)


@dataclass(frozen=True, slots=True, kw_only=True)
class HostileNote:
    """A memory that talks to the model, and the question that brings it into the prompt."""

    id: str
    about: tuple[str, ...]
    question: str
    lie: str
    words: str


def demo_cases(count: int) -> list[Case]:
    """Return `count` questions of the example memory, the categories in turn."""
    entries = cast("list[dict[str, object]]", json.loads(example_questions().read_text("utf-8"))["questions"])
    by_id = {str(entry["id"]): entry for entry in entries}
    named = [
        Question(
            corpus=DEMO, id=key, text=str(entry["question"]), category=str(entry["category"]), evidence=frozenset()
        )
        for key, entry in by_id.items()
    ]
    chosen = {question.id for question in sample(named, count)}
    return [_demo_case(entry) for key, entry in by_id.items() if key in chosen]


def _demo_case(entry: dict[str, object]) -> Case:
    evidence = cast("list[str]", entry["evidence"] or [])
    return Case(
        group=DEMO,
        id=str(entry["id"]),
        question=str(entry["question"]),
        category=str(entry["category"]),
        evidence=frozenset() if entry["unanswerable"] else frozenset(evidence),
        answer=str(entry["answer"] or ""),
        stance=Stance(str(entry["stance"])),
        include_private=bool(entry["needs_private"]),
    )


def cut_cases() -> list[Case]:
    """Return the questions whose replies are cut off: what comes of a malformed draft."""
    return [replace(case, group=CUT) for case in demo_cases(40) if case.category == "several"][:_CUT_QUESTIONS]


def file_cases(group: str, corpora: Sequence[Corpus], count: int) -> list[Case]:
    """Return `count` questions of a data file, a third of them unanswerable where there are as many."""
    every = [question for corpus in corpora for question in corpus.questions]
    without = sample((one for one in every if not one.evidence), round(count * _UNANSWERABLE_SHARE))
    chosen = [*sample((one for one in every if one.evidence), count - len(without)), *without]
    return [
        Case(
            group=group,
            id=f"{one.corpus}/{one.id}",
            question=one.text,
            category=one.category,
            evidence=one.evidence,
            answer=one.answer,
        )
        for one in chosen
    ]


def hostile_notes() -> list[HostileNote]:
    """Return the memories that talk to the model."""
    entries = cast("list[dict[str, object]]", json.loads(_HOSTILE_NOTES.read_text("utf-8")))
    return [
        HostileNote(
            id=str(entry["id"]),
            about=tuple(cast("list[str]", entry["about"])),
            question=str(entry["question"]),
            lie=str(entry["lie"]),
            words=str(entry["words"]),
        )
        for entry in entries
    ]


def hostile_cases(group: str) -> list[Case]:
    """Return the question of each hostile memory; where the demo asks it, too, its evidence is known."""
    known = {case.question: case for case in demo_cases(1_000)}
    return [
        Case(
            group=group,
            id=note.id,
            question=note.question,
            category="hostile",
            evidence=known[note.question].evidence if note.question in known else frozenset(),
            answer=known[note.question].answer if note.question in known else "",
            lie=note.lie,
        )
        for note in hostile_notes()
    ]
