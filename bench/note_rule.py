"""Fits the rule that says whether a passage answers (`voice.core.answering.answer_rules`), and shows what it is worth.

Reads folders of notes with questions (`vault-bench/1`, as `bench.vault`) and finds, for each question, the passages
that the program would read, with the re-ranker that is installed. The rule is fitted four times: with what the
re-ranker says (`read`), with its relevance alone (`ranked`), without it (`unread`), and `by_words` alone. Each memory
is held out in turn: its passages are scored by weights that were fitted on all others. Prints the weights fitted on all
of them, to be put into the rule; the biases are moved there so that one line serves all, and those of `ranked` are
halved, so that what they say weighs as much as what the others say beside `own`. Memories that `bench.answer_layers`
was fitted on have no place here: it reads them too well.

    python -m bench.note_rule --vault DIR --questions FILE [--vault DIR --questions FILE …] --json
"""

import argparse
import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import anyio

from bench.report import machine
from bench.rule_fit import FittedRule, Outcome, by_line, held_out, logistic
from bench.vault import Question, imported, read_questions
from voice.bootstrap import Parts, Services, open_services
from voice.core.answering.answer_rules import (
    WEIGHTS,
    WEIGHTS_WITHOUT_ANSWERS,
    WEIGHTS_WITHOUT_COSINES,
    WEIGHTS_WITHOUT_RERANKER,
    features,
    reranker_features,
)
from voice.core.answering.question_form import term_weights
from voice.core.answering.question_target import QuestionTarget
from voice.core.errors import RerankerUnavailable, VoiceError
from voice.core.records import Entity, EntityName
from voice.core.retrieval.passages import EvidenceRequest, Passage
from voice.core.settings.parse import parse_settings
from voice.services.turn.answer_search import ReadPassages

_READ: Final[Mapping[str, int]] = {"read": 1, "ranked": 1, "unread": 6, "by_words": 6}
"""Passages of a question that count in the fit: the one that the re-ranker puts first, which alone decides whether
anything is answered; without it, those that the search puts first."""
_LINES: Final = (-2.0, -1.75, -1.5, -1.25, -1.15, -1.0, -0.75, -0.5)
_L2: Final[Mapping[str, float]] = {"read": 0.001, "ranked": 0.001, "unread": 0.05, "by_words": 0.05}
_BY_HAND: Final = ("bias", "own")
_NAMES: Final[Mapping[str, Sequence[str]]] = {
    "read": [name for name in WEIGHTS if name not in _BY_HAND],
    "ranked": [name for name in WEIGHTS_WITHOUT_ANSWERS if name not in _BY_HAND],
    "unread": [name for name in WEIGHTS_WITHOUT_RERANKER if name not in _BY_HAND],
    "by_words": [name for name in WEIGHTS_WITHOUT_COSINES if name not in _BY_HAND],
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One passage of a question, in figures."""

    memory: str
    rule: str
    """Which of the rules it is a case of (`_NAMES`)."""
    question: str
    is_answerable: bool
    holds: bool
    """Whether it holds the gold."""
    figures: tuple[float, ...]


async def cases_of(vault: Path, questions: Sequence[Question], parts: Parts) -> list[Case]:
    """Return the passages read for every question over a vault.

    Args:
        vault: a folder of notes.
        questions: over it.
        parts: what is used in the place of the program's own encoder and re-ranker.

    Raises:
        RerankerUnavailable: none is installed.
    """
    settings = parse_settings({"gate.enabled": True, "llm.provider": "extractive"}, {}, {}).settings
    by_id = {question.id: question for question in questions}
    cases: list[Case] = []
    with tempfile.TemporaryDirectory(prefix="voice answering ") as passing:
        async with open_services(settings, Path(passing) / "home", parts) as services:
            await imported(services, vault)
            reader = await reader_of(services)
            for question in questions:
                cases += await _of_question(reader, vault.name, question, by_id)
    return cases


async def reader_of(services: Services) -> tuple[ReadPassages, Sequence[Entity | EntityName]]:
    """Return what reads passages, and what the graph names.

    Raises:
        RerankerUnavailable: there is no re-ranker.
    """
    ask = services.makers.ask()
    read = ask.evidence.passages
    if read is None:
        raise RerankerUnavailable("no passages are read with this provider; use extractive")
    read.rerank.required()
    return read, (await ask.evidence.names.known()).nodes


async def _of_question(
    reader: tuple[ReadPassages, Sequence[Entity | EntityName]],
    memory: str,
    question: Question,
    by_id: dict[str, Question],
) -> list[Case]:
    read, entities = reader
    text, before = question.text, question.follows
    while before:
        text, before = f"{by_id[before].text} {text}", by_id[before].follows
    request = EvidenceRequest(query=text, floor=0.0, min_floor=0.0)
    passages = await read.join((await read.retrieve.fetch_evidence(request)).chosen, request)
    scores = await read.rerank.scores(text, [each.placed_text for each in passages], is_private=False)
    if scores is None:
        raise RerankerUnavailable("no re-ranker is installed; run: voice models install reranker")
    logits = [score.relevance for score in scores]
    best = sorted(range(len(passages)), key=lambda at: -logits[at])
    order = {
        "read": best[: _READ["read"]],
        "ranked": best[: _READ["ranked"]],
        "unread": list(range(len(passages)))[: _READ["unread"]],
        "by_words": list(range(len(passages)))[: _READ["by_words"]],
    }
    telling, target = term_weights(text), QuestionTarget.of(question.text, entities, read.owner)

    def figures(rule: str, at: int) -> tuple[float, ...]:
        told = features(telling, passages[at])
        others = max((logits[one] for one in range(len(logits)) if one != at), default=-11.0)
        told |= reranker_features(scores[at], others)
        return tuple(told[name] for name in _NAMES[rule])

    return [
        Case(
            memory=memory,
            rule=rule,
            question=question.id,
            is_answerable=question.is_answerable,
            holds=question.is_answerable and _holds(question, passages[at]),
            figures=figures(rule, at),
        )
        for rule, places in order.items()
        for at in places
        if not target.is_missed_by(passages[at])
    ]


def _holds(question: Question, passage: Passage) -> bool:
    return all(re.search(pattern, passage.placed_text, re.DOTALL) for pattern in question.evidence or question.gold)


def fitted(cases: Sequence[Case]) -> FittedRule:
    """Return the rule of some cases; every memory counts alike, and every question in it."""
    of_memory = Counter(case.memory for case in cases)
    share = [1 / of_memory[case.memory] for case in cases]
    return logistic(cases, (case.holds for case in cases), share, l2=_L2[cases[0].rule])


def _outcomes(scored: Sequence[tuple[Case, float]]) -> list[Outcome]:
    """Return what is said of each question: what its best passage scores."""
    best: dict[str, tuple[Case, float]] = {}
    for case, score in scored:
        if case.question not in best or score > best[case.question][1]:
            best[case.question] = (case, score)
    return [Outcome(score=score, is_answerable=case.is_answerable, holds=case.holds) for case, score in best.values()]


async def _measured(pairs: Sequence[tuple[Path, Path]]) -> list[Case]:
    return [case for vault, file in pairs for case in await cases_of(vault, read_questions(file), Parts())]


def report_on(cases: Sequence[Case]) -> dict[str, object]:
    """Return, by rule, what it is worth on held-out memories, and its weights."""
    return {rule: _of_rule([case for case in cases if case.rule == rule]) for rule in _NAMES}


def _of_rule(cases: Sequence[Case]) -> dict[str, object]:
    told = held_out(cases, fitted)
    return {
        "held out": {memory: by_line(_outcomes(scored), _LINES) for memory, scored in told.items()},
        "weights": fitted(cases).by_name(_NAMES[cases[0].rule], digits=3),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Fit, and print what came of it."""
    parser = argparse.ArgumentParser(prog="python -m bench.note_rule", description=__doc__)
    parser.add_argument("--vault", type=Path, action="append", required=True, help="a folder of Markdown notes")
    parser.add_argument("--questions", type=Path, action="append", required=True, help="its questions")
    parser.add_argument("--json", action="store_true", help="print one JSON object (as without it)")
    given = parser.parse_args(arguments)
    try:
        cases = anyio.run(_measured, list(zip(given.vault, given.questions, strict=True)))
    except VoiceError as error:
        print(f"bench.note_rule: {error}", file=sys.stderr)
        return error.exit_code
    print(json.dumps(report_on(cases) | {"machine": machine()}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
