"""Fits the rule that says whether a passage answers (`voice.core.answering.rule`), and shows what it is worth.

Reads folders of notes with questions (`vault-bench/1`, as `bench.vault`) and finds, for each question, the passages
that the program would read, with the re-ranker that is installed. The rule is fitted three times: with what the
re-ranker says (`read`), without (`unread`), and `by_words` alone. Each memory is held out in turn: its passages are
scored by weights that were fitted on all others. Prints the weights fitted on all of them, to be put into the rule; the
biases are moved there so that one line serves all.

    python -m bench.answering --vault DIR --questions FILE [--vault DIR --questions FILE …] --json
"""

import argparse
import json
import re
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import anyio
import numpy as np
from numpy.typing import NDArray

from bench.report import machine
from bench.vault import Question, imported, read_questions
from voice.bootstrap import Services, open_services
from voice.core.answering.another import Another
from voice.core.answering.rule import WEIGHTS, WEIGHTS_BY_WORDS, WEIGHTS_UNREAD, Telling, features, read_features
from voice.core.errors import RerankerUnavailable, VoiceError
from voice.core.retrieval.evidence import EvidenceRequest
from voice.core.retrieval.passages import Passage
from voice.core.settings.parse import parse_settings
from voice.ports.reranker import Reranker
from voice.services.answering import ReadPassages

_READ: Final = 6
"""Passages of a question that count in the fit: those that the re-ranker, or without it the search, puts first."""
_LINES: Final = (-2.0, -1.75, -1.5, -1.25, -1.15, -1.0, -0.75, -0.5)
_STEPS: Final = 4_000
_RATE: Final = 0.5
_L2: Final[Mapping[str, float]] = {"read": 0.2, "unread": 0.05, "by_words": 0.05}
_NAMES: Final[Mapping[str, Sequence[str]]] = {
    "read": [name for name in WEIGHTS if name != "bias"],
    "unread": [name for name in WEIGHTS_UNREAD if name != "bias"],
    "by_words": [name for name in WEIGHTS_BY_WORDS if name != "bias"],
}

Floats = NDArray[np.float64]


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


async def cases_of(vault: Path, questions: Sequence[Question]) -> list[Case]:
    """Return the passages read for every question over a vault.

    Raises:
        RerankerUnavailable: none is installed.
    """
    settings = parse_settings({"gate.enabled": True, "llm.provider": "extractive"}, {}, {}).settings
    by_id = {question.id: question for question in questions}
    cases: list[Case] = []
    with tempfile.TemporaryDirectory(prefix="voice answering ") as passing:
        async with open_services(settings, Path(passing) / "home") as services:
            await imported(services, vault)
            reader = reader_of(services)
            for question in questions:
                cases += await _of_question(reader, vault.name, question, by_id)
    return cases


def reader_of(services: Services) -> tuple[ReadPassages, Reranker]:
    """Return what reads passages, and its re-ranker.

    Raises:
        RerankerUnavailable: there is no re-ranker.
    """
    read = services.makers.ask().passages
    if read is None or read.reranker is None:
        raise RerankerUnavailable("no re-ranker is installed; run: voice models install reranker")
    return read, read.reranker


async def _of_question(
    reader: tuple[ReadPassages, Reranker], memory: str, question: Question, by_id: dict[str, Question]
) -> list[Case]:
    read, reranker = reader
    text, before = question.text, question.follows
    while before:
        text, before = f"{by_id[before].text} {text}", by_id[before].follows
    request = EvidenceRequest(query=text, floor=0.0, min_floor=0.0)
    passages = await read.join((await read.retrieve.fetch_evidence(request)).chosen, request)
    logits = await reranker.score(text, [each.placed_text for each in passages])
    order = {
        "read": sorted(range(len(passages)), key=lambda at: -logits[at])[:_READ],
        "unread": list(range(len(passages)))[:_READ],
        "by_words": list(range(len(passages)))[:_READ],
    }
    telling, another = Telling.of(text), Another.of(question.text, (), read.owner)

    def figures(rule: str, at: int) -> tuple[float, ...]:
        told = features(telling, passages[at], is_own=another.is_the_owners_word(passages[at]))
        told |= read_features(logits[at], max((logits[one] for one in order["read"] if one != at), default=-11.0))
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
        if not another.is_told_in(passages[at])
    ]


def _holds(question: Question, passage: Passage) -> bool:
    return all(re.search(pattern, passage.placed_text, re.DOTALL) for pattern in question.evidence or question.gold)


def fitted(cases: Sequence[Case]) -> tuple[Floats, float]:
    """Return weights and bias of a logistic regression; every memory counts alike, and every question in it."""
    of_memory = {case.memory: sum(one.memory == case.memory for one in cases) for case in cases}
    return logistic(
        np.array([case.figures for case in cases]),
        np.array([case.holds for case in cases], float),
        np.array([1 / of_memory[case.memory] for case in cases]),
        l2=_L2[cases[0].rule],
    )


def logistic(figures: Floats, holds: Floats, share: Floats, *, l2: float) -> tuple[Floats, float]:
    """Return weights and bias of a logistic regression.

    Args:
        figures: a row a case.
        holds: 1 for a case that holds, else 0.
        share: how much each case counts.
        l2: how much weights cost, of figures that are scaled to a spread of 1.
    """
    middle, spread = figures.mean(0), figures.std(0) + 1e-9
    scaled = (figures - middle) / spread
    weights, bias = np.zeros(scaled.shape[1]), 0.0
    for _ in range(_STEPS):
        error = (1 / (1 + np.exp(-(scaled @ weights + bias))) - holds) * share
        weights -= _RATE * (scaled.T @ error / share.sum() + l2 * weights)
        bias -= _RATE * float(error.sum() / share.sum())
    return weights / spread, bias - float((weights * middle / spread).sum())


def held_out(cases: Sequence[Case]) -> dict[str, object]:
    """Return, by memory and line, what the rule does that was fitted on the other memories; nothing of one alone."""
    told: dict[str, object] = {}
    for memory in dict.fromkeys(case.memory for case in cases):
        own = [case for case in cases if case.memory == memory]
        others = [case for case in cases if case.memory != memory]
        if not others:
            return {}
        weights, bias = fitted(others)
        told[memory] = {str(line): _at(line, own, weights, bias) for line in _LINES}
    return told


def _at(line: float, cases: Sequence[Case], weights: Floats, bias: float) -> dict[str, float]:
    best: dict[str, tuple[float, Case]] = {}
    for case in cases:
        score = float(np.array(case.figures) @ weights) + bias
        if case.question not in best or score > best[case.question][0]:
            best[case.question] = (score, case)
    answerable = [(score, case) for score, case in best.values() if case.is_answerable]
    others = [score for score, case in best.values() if not case.is_answerable]
    return {
        "right": _share([score > line and case.holds for score, case in answerable]),
        "wrong": _share([score > line and not case.holds for score, case in answerable]),
        "refused": _share([score <= line for score, _ in answerable]),
        "answered though unanswerable": _share([score > line for score in others]),
    }


def _share(held: Sequence[bool]) -> float:
    return round(sum(held) / len(held), 3) if held else 0.0


async def _measured(pairs: Sequence[tuple[Path, Path]]) -> Mapping[str, object]:
    cases = [case for vault, file in pairs for case in await cases_of(vault, read_questions(file))]
    return {rule: _of_rule([case for case in cases if case.rule == rule]) for rule in _NAMES} | {"machine": machine()}


def _of_rule(cases: Sequence[Case]) -> dict[str, object]:
    weights, bias = fitted(cases)
    names = _NAMES[cases[0].rule]
    return {
        "held out": held_out(cases),
        "weights": {"bias": round(bias, 3), **dict(zip(names, np.round(weights, 3).tolist(), strict=True))},
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Fit, and print what came of it."""
    parser = argparse.ArgumentParser(prog="python -m bench.answering", description=__doc__)
    parser.add_argument("--vault", type=Path, action="append", required=True, help="a folder of Markdown notes")
    parser.add_argument("--questions", type=Path, action="append", required=True, help="its questions")
    parser.add_argument("--json", action="store_true", help="print one JSON object (as without it)")
    given = parser.parse_args(arguments)
    try:
        found = anyio.run(_measured, list(zip(given.vault, given.questions, strict=True)))
    except VoiceError as error:
        print(f"bench.answering: {error}", file=sys.stderr)
        return error.exit_code
    print(json.dumps(found, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
