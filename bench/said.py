"""Fits the rule that says whether what was said answers a question (`voice.core.answering.said`).

Reads conversations with questions (`memory-bench/1`, as `bench.answerability`), imports each into a fresh store and
finds, for each question, the rows that the program would read. Each conversation is held out in turn: its questions are
scored by weights that were fitted on the others. Prints, by line, which share of the unanswerable questions would be
answered and which of the answerable ones refused, and the weights fitted on all; once more by
words alone, for other encoders. Questions are read with their time and
searched for at any time; in whole turns (`bench.answerability`) the same weights refuse a little less, so the bias of
the rule is a little lower than the one printed, which refuses a fifth of the answerable questions.

    python -m bench.said --data FILE [--cache DIR] --json
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
import numpy as np

from bench.answerability import AskedAt, CachedEmbedder, Corpus, Options, filled, read_corpora
from bench.answering import Floats, logistic
from bench.report import machine, progress
from voice.adapters.embedding.minilm import MiniLmEmbedder
from voice.bootstrap import Parts, Services, open_services
from voice.core.answering.another import Another
from voice.core.answering.said import READ, WEIGHTS, WEIGHTS_BY_WORDS, features
from voice.core.errors import VoiceError
from voice.core.grounding.answerability.fit import Reading
from voice.core.retrieval.evidence import EVIDENCE_LIMIT, EvidenceRequest, as_evidence
from voice.core.settings.parse import parse_settings

_NAMES: Final = [name for name in WEIGHTS if name != "bias"]
_BY_WORDS: Final = [name for name in WEIGHTS_BY_WORDS if name != "bias"]
_LINES: Final = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)
_L2: Final = 0.01
_REFUSED: Final = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One question, in figures."""

    corpus: str
    is_answerable: bool
    figures: tuple[float, ...]


async def cases_of(options: Options) -> list[Case]:
    """Return the questions of a file that find anything."""
    settings = parse_settings({"gate.enabled": True, "llm.provider": "extractive"}, {}, {}).settings
    embedder = CachedEmbedder(MiniLmEmbedder(), options.cache)
    cases: list[Case] = []
    for corpus in read_corpora(options):
        with tempfile.TemporaryDirectory(prefix="voice said ") as passing:
            parts = Parts(clock=AskedAt(corpus.asked_at), embedder=embedder)
            async with open_services(settings, Path(passing) / "home", parts) as services:
                await filled(services, options.data, corpus)
                cases += await _of_corpus(services, corpus)
    return cases


async def _of_corpus(services: Services, corpus: Corpus) -> list[Case]:
    ask = services.makers.ask()
    nodes = (await ask.names.known()).nodes
    cases: list[Case] = []
    for question in progress(corpus.questions, corpus.name):
        request = EvidenceRequest(query=question.text, floor=0.0, min_floor=0.0, limit=EVIDENCE_LIMIT)
        found = (await ask.retrieve.fetch_evidence(request)).chosen
        kept = Another.of(question.text, nodes, ask.settings.owner).without(found)
        reading = Reading.of(question.text, as_evidence(kept, nodes)[:READ])
        if not reading.asked.is_of_who_speaks:
            continue
        told = features(question.text, reading)
        figures = tuple(told[name] for name in _NAMES)
        cases.append(Case(corpus=corpus.name, is_answerable=question.is_answerable, figures=figures))
    return cases


def fitted(cases: Sequence[Case]) -> tuple[Floats, float]:
    """Return weights and bias; the answerable and the unanswerable questions count alike."""
    answerable = np.array([case.is_answerable for case in cases], float)
    mean = float(answerable.mean())
    share = np.array([0.5 / mean if case.is_answerable else 0.5 / (1 - mean) for case in cases])
    return logistic(np.array([case.figures for case in cases]), answerable, share, l2=_L2)


def scored(cases: Sequence[Case]) -> list[tuple[float, bool]]:
    """Return the score of each question by weights fitted on the other conversations, and whether it is answerable."""
    told: list[tuple[float, bool]] = []
    for corpus in dict.fromkeys(case.corpus for case in cases):
        weights, bias = fitted([case for case in cases if case.corpus != corpus])
        own = [case for case in cases if case.corpus == corpus]
        told += [(float(weights @ case.figures) + bias, case.is_answerable) for case in own]
    return told


def _at(line: float, told: Sequence[tuple[float, bool]]) -> dict[str, float]:
    answerable = [score for score, is_answerable in told if is_answerable]
    others = [score for score, is_answerable in told if not is_answerable]
    return {
        "refused": round(sum(score <= line for score in answerable) / len(answerable), 3),
        "answered though unanswerable": round(sum(score > line for score in others) / len(others), 3),
    }


async def _measured(options: Options) -> dict[str, object]:
    cases = await cases_of(options)
    places = [_NAMES.index(name) for name in _BY_WORDS]
    by_words = [replace(case, figures=tuple(case.figures[at] for at in places)) for case in cases]
    return {
        "file": options.data.name,
        "questions": len(cases),
        "with cosines": _of_rule(cases, _NAMES),
        "by words": _of_rule(by_words, _BY_WORDS),
        "machine": machine(),
    }


def _of_rule(cases: Sequence[Case], names: Sequence[str]) -> dict[str, object]:
    weights, bias = fitted(cases)
    own = sorted(float(weights @ case.figures) + bias for case in cases if case.is_answerable)
    line = own[int(_REFUSED * len(own))]
    told = dict(zip(names, np.round(weights, 2).tolist(), strict=True))
    return {
        "held out": {str(line): _at(line, scored(cases)) for line in _LINES},
        "weights": {"bias": round(bias - line, 2), **told},
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Fit, and print what came of it."""
    parser = argparse.ArgumentParser(prog="python -m bench.said", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="a memory-bench/1 file of several conversations")
    parser.add_argument("--limit", type=int, help="only so many questions, drawn at random")
    parser.add_argument("--cache", type=Path, help="a directory to keep vectors in, by the hash of model and text")
    parser.add_argument("--json", action="store_true", help="print one JSON object (as without it)")
    given = parser.parse_args(arguments)
    try:
        options = Options(data=given.data, limit=given.limit, cache=given.cache)
        if options.cache is not None:
            options.cache.mkdir(parents=True, exist_ok=True)
        found = anyio.run(_measured, options)
    except VoiceError as error:
        print(f"bench.said: {error}", file=sys.stderr)
        return error.exit_code
    print(json.dumps(found, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
