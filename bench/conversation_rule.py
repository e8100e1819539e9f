"""Fits the rule that says whether what was said answers a question (`voice.core.answering.answer_rules`).

Reads conversations with questions (`memory-bench/1`, as `bench.answerability`), imports each into a fresh store and
finds, for each question, the rows that the program would read. Each conversation is held out in turn: its questions are
scored by weights that were fitted on the others. Prints, by line, which share of the unanswerable questions would be
answered and which of the answerable ones refused, and the weights fitted on all; once more by
words alone, for other encoders. Questions are read with their time and
searched for at any time; in whole turns (`bench.answerability`) the same weights refuse a little less, so the bias of
the rule is a little lower than the one printed, which refuses a fifth of the answerable questions.

    python -m bench.conversation_rule --data FILE [--cache DIR] --json
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import anyio

from bench.answerability import AskedAt, CachedEmbedder, Corpus, Options, filled, read_corpora
from bench.report import machine, progress
from bench.rule_fit import FittedRule, Outcome, by_line, held_out, logistic
from voice.adapters.embedding.minilm import MiniLmEmbedder
from voice.bootstrap import Parts, Services, open_services
from voice.core.answering.answer_rules import (
    CONVERSATION_WEIGHTS,
    CONVERSATION_WEIGHTS_WITHOUT_COSINES,
    ROWS_READ,
    conversation_features,
)
from voice.core.answering.memory_owner import MemoryOwner
from voice.core.answering.question_target import QuestionTarget
from voice.core.errors import VoiceError
from voice.core.grounding.extractive.question_fit import EvidenceFit
from voice.core.retrieval.passages import EVIDENCE_LIMIT, EvidenceRequest, as_evidence
from voice.core.settings.parse import parse_settings
from voice.ports.search_index import Embedder

_NAMES: Final = [name for name in CONVERSATION_WEIGHTS if name != "bias"]
_BY_WORDS: Final = [name for name in CONVERSATION_WEIGHTS_WITHOUT_COSINES if name != "bias"]
_LINES: Final = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)
_L2: Final = 0.01
_REFUSED: Final = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One question, in figures."""

    memory: str
    """The conversation."""
    is_answerable: bool
    figures: tuple[float, ...]


async def cases_of(options: Options, embedder: Embedder) -> list[Case]:
    """Return the questions of a file that are about somebody who speaks."""
    settings = parse_settings({"gate.enabled": True, "llm.provider": "extractive"}, {}, {}).settings
    cases: list[Case] = []
    for corpus in read_corpora(options):
        with tempfile.TemporaryDirectory(prefix="voice conversation rule ") as passing:
            parts = Parts(clock=AskedAt(corpus.asked_at), embedder=embedder)
            async with open_services(settings, Path(passing) / "home", parts) as services:
                await filled(services, options.data, corpus)
                cases += await _of_corpus(services, corpus)
    return cases


async def _of_corpus(services: Services, corpus: Corpus) -> list[Case]:
    ask = services.makers.ask()
    nodes = (await ask.evidence.names.known()).nodes
    cases: list[Case] = []
    for question in progress(corpus.questions, corpus.name):
        request = EvidenceRequest(query=question.text, floor=0.0, min_floor=0.0, limit=EVIDENCE_LIMIT)
        found = (await ask.evidence.retrieve.fetch_evidence(request)).chosen
        kept = QuestionTarget.of(question.text, nodes, MemoryOwner(names=ask.settings.owner.called)).matching_rows(
            found
        )
        fit = EvidenceFit.of(question.text, as_evidence(kept, nodes)[:ROWS_READ])
        if not fit.question.is_of_who_speaks:
            continue
        told = conversation_features(question.text, fit)
        figures = tuple(told[name] for name in _NAMES)
        cases.append(Case(memory=corpus.name, is_answerable=question.is_answerable, figures=figures))
    return cases


def fitted(cases: Sequence[Case]) -> FittedRule:
    """Return the rule of some cases; the answerable and the unanswerable questions count alike."""
    mean = sum(case.is_answerable for case in cases) / len(cases)
    share = [0.5 / mean if case.is_answerable else 0.5 / (1 - mean) for case in cases]
    return logistic(cases, (case.is_answerable for case in cases), share, l2=_L2)


def report_on(cases: Sequence[Case]) -> dict[str, object]:
    """Return what a rule with cosines and one without are worth on held-out conversations, and the weights of both."""
    places = [_NAMES.index(name) for name in _BY_WORDS]
    by_words = [replace(case, figures=tuple(case.figures[at] for at in places)) for case in cases]
    return {
        "questions": len(cases),
        "with cosines": _of_rule(cases, _NAMES),
        "by words": _of_rule(by_words, _BY_WORDS),
    }


def _of_rule(cases: Sequence[Case], names: Sequence[str]) -> dict[str, object]:
    rule = fitted(cases)
    own = sorted(rule.score(case) for case in cases if case.is_answerable)
    told = [
        Outcome(score=score, is_answerable=case.is_answerable, holds=case.is_answerable)
        for scored in held_out(cases, fitted).values()
        for case, score in scored
    ]
    return {
        "held out": by_line(told, _LINES),
        "weights": rule.by_name(names, line=own[int(_REFUSED * len(own))], digits=2),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Fit, and print what came of it."""
    parser = argparse.ArgumentParser(prog="python -m bench.conversation_rule", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="a memory-bench/1 file of several conversations")
    parser.add_argument("--limit", type=int, help="only so many questions, drawn at random")
    parser.add_argument("--cache", type=Path, help="a directory to keep vectors in, by the hash of model and text")
    parser.add_argument("--json", action="store_true", help="print one JSON object (as without it)")
    given = parser.parse_args(arguments)
    try:
        options = Options(data=given.data, limit=given.limit, cache=given.cache)
        if options.cache is not None:
            options.cache.mkdir(parents=True, exist_ok=True)
        cases = anyio.run(cases_of, options, CachedEmbedder(MiniLmEmbedder(), options.cache))
    except VoiceError as error:
        print(f"bench.conversation_rule: {error}", file=sys.stderr)
        return error.exit_code
    print(json.dumps({"file": options.data.name, **report_on(cases), "machine": machine()}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
