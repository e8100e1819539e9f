"""What a report over many turns costs: `python -m bench.reports [--turns N] [--json] [--home DIR]`.

A store on disk is filled with N turns of a year in sessions of a hundred: answers of some hundred words with their
receipts, refusals, repairs, verifiers' calls, three models and three stances. Then `voice report` adds them up, once by
the clock of the processor and once counting what Python holds at its most; the engine's own memory is not in it.
"""

import argparse
import json
import random
import sys
import tempfile
import tracemalloc
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from time import process_time
from typing import Final

import anyio

from bench.report import machine, progress, table
from voice.adapters.surreal.opening import open_store
from voice.adapters.system.clock_and_ids import FixedClock
from voice.core.grounding.values import Receipt, RefusalReason, SentenceVerdict, SourceCitation, Stance
from voice.core.nlq.parsed_query import NlqSettings
from voice.core.records import TrustTier
from voice.core.report.values import Report
from voice.core.session.exchange import total_cost, total_usage
from voice.core.session.lifecycle import append, new_session
from voice.core.session.values import Attempt, DialogueExchange, PromptRecord
from voice.core.usage import Price, Usage
from voice.services.sessions.report import Reports

NOW: Final = datetime(2026, 3, 20, 12, tzinfo=UTC)
_OF_A_SESSION: Final = 100
_YEAR: Final = timedelta(days=365)
_MODELS: Final = ("gemini-2.5-pro", "gemini-2.5-flash", "own-model")
_WORDS: Final = tuple("the piano was moved to the shed behind the house in March and tuned there twice a year".split())  # noqa: SIM905 - a sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What the report took."""

    turns: int
    cpu_s: float
    peak_mb: float
    texts_mb: float
    """Of the questions, answers and receipts of all turns together, as text."""

    def as_json(self) -> dict[str, object]:
        """Return the figures as they are printed."""
        return {
            "turns": self.turns,
            "cpu_s": round(self.cpu_s, 3),
            "cpu_ms_per_turn": round(1000 * self.cpu_s / self.turns, 4),
            "peak_python_mb": round(self.peak_mb, 1),
            "texts_mb": round(self.texts_mb, 1),
            "machine": machine(),
        }


async def measure(turns: int, home: Path) -> Measured:
    """Return what a report over `turns` turns costs; a store that `home` holds already is taken as it is."""
    async with await open_store(home / "memory", home=home) as stores:
        texts = 0
        is_filled = bool(await stores.sessions.sessions(limit=1))
        for first in progress(range(0, turns, _OF_A_SESSION), "filling"):
            made = list(_turns(first, min(_OF_A_SESSION, turns - first), turns))
            texts += sum(_text_bytes(each) for each in made)
            if is_filled:
                continue
            session = new_session(
                session_id=made[0].session_id, topic="t", provider="p", model="m", max_prompt_tokens=1, now=NOW
            )
            for each in made:
                session = append(session, each)
            await stores.sessions.save(replace(session, revision=1, context_window=()), made, expected=0)
        reports = Reports(sessions=stores.sessions, clock=FixedClock(NOW), nlq=NlqSettings(), timezone="Europe/Berlin")
        began = process_time()
        report: Report = await reports(by="month")
        taken = process_time() - began
        tracemalloc.start()
        await reports(by="month")
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return Measured(turns=report.total.turns, cpu_s=taken, peak_mb=peak / 1e6, texts_mb=texts / 1e6)


def _text_bytes(turn: DialogueExchange) -> int:
    spans = sum(len(each.span) for each in (*turn.sources, *turn.evidence_found))
    return len(turn.my_query) + len(turn.answer) + spans + sum(len(each.text) for each in turn.sentences)


def _turns(first: int, count: int, of: int) -> Iterator[DialogueExchange]:
    for number in range(first, first + count):
        yield made_turn(number, NOW - _YEAR + _YEAR * number / of)


def made_turn(number: int, at: datetime) -> DialogueExchange:
    """Return the turn of that number, made up; the same one every time."""
    chance = random.Random(number)
    sentences = tuple(_sentence(chance) for _ in range(6))
    attempts, price = _attempts(chance), _price(at)
    model = chance.choice(_MODELS)
    known = None if model == "own-model" else price
    is_refused = chance.random() < 0.2
    usage = total_usage(attempts)
    template = "answer.v1" if number % 3 else "answer.v2"
    return DialogueExchange(
        id=f"x:bench-{number:06}",
        session_id=f"s:bench-{number // _OF_A_SESSION:04}",
        index=number % _OF_A_SESSION,
        timestamp=at,
        my_query=" ".join(chance.choices(_WORDS, k=12)),
        answer="" if is_refused else " ".join(each.text for each in sentences),
        sources=() if is_refused else tuple(_citation(chance) for _ in range(3)),
        evidence_found=tuple(_citation(chance) for _ in range(3)) if is_refused else (),
        confidence=0.0 if is_refused else 0.8,
        coverage_ratio=chance.uniform(0, 0.6) if is_refused else chance.uniform(0.6, 1),
        refused=is_refused,
        memories_referenced=(),
        prompt_tokens=usage.input_tokens,
        completion_tokens=usage.output_tokens,
        cached_tokens=usage.cached_input_tokens,
        latency_ms=chance.randint(600, 9_000),
        cost_estimate=total_cost(attempts, known),
        prompt_hash="p" * 64,
        status="refused" if is_refused else "answered",
        stance=chance.choice(list(Stance)),
        reason=chance.choice((RefusalReason.COVERAGE_LOW, RefusalReason.TOO_FEW_SOURCES)) if is_refused else None,
        sentences=sentences,
        prompt=PromptRecord(
            prompt_hash="p" * 64, template=template, template_hash="t" * 64, prompt_tokens_estimated=2_100
        ),
        attempts=attempts,
        price_source=None if known is None else f"{price.source} {price.as_of}",
        price=known,
        provider="gemini",
        model=model,
    )


def _attempts(chance: random.Random) -> tuple[Attempt, ...]:
    def call(**members: object) -> Attempt:
        read = chance.randint(1_500, 2_000)
        usage = Usage(input_tokens=read, output_tokens=chance.randint(80, 300), cached_input_tokens=read // 3)
        return Attempt(usage=usage, latency_ms=900, **members)  # pyright: ignore[reportArgumentType]

    malformed = (call(outcome="malformed"),) if chance.random() < 0.05 else ()
    verified = (call(outcome="draft", purpose="verify"),) if chance.random() < 0.3 else ()
    return (*malformed, call(outcome="draft"), *verified)


def _price(at: datetime) -> Price:
    return Price(
        input_per_million=Decimal("1.25"),
        output_per_million=Decimal(10),
        cached_input_per_million=Decimal("0.31"),
        source="bench table",
        as_of=f"{at:%Y-%m-%d}",
    )


def _sentence(chance: random.Random) -> SentenceVerdict:
    text = " ".join(chance.choices(_WORDS, k=14))
    receipt = Receipt(row_id=f"o:{chance.randint(0, 9999)}", content_hash="h" * 64, start=0, end=len(text))
    return SentenceVerdict(
        start=0, end=len(text), text=text, kind="claim", rung="verified", score=0.1, weight=6.0, receipts=(receipt,)
    )


def _citation(chance: random.Random) -> SourceCitation:
    span = " ".join(chance.choices(_WORDS, k=14))
    return SourceCitation(
        source_id=f"o:{chance.randint(0, 9999)}",
        source_type="kg_observation",
        span=span,
        relevance=0.5,
        span_start=0,
        span_end=len(span),
        content_hash="h" * 64,
        created_at=NOW,
        trust_tier=TrustTier.GREEN,
    )


def main() -> None:
    """Measure, and print what came of it."""
    parser = argparse.ArgumentParser(prog="python -m bench.reports", description=__doc__)
    parser.add_argument("--turns", type=int, default=10_000)
    parser.add_argument("--home", type=Path, help="a directory to keep the store in")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="voice-bench-") as scratch:
        home = options.home or Path(scratch)
        home.mkdir(parents=True, exist_ok=True)
        measured = anyio.run(measure, options.turns, home)
    told = measured.as_json()
    if options.json:
        json.dump(told, sys.stdout, indent=2)
        print()
    else:
        print(table(["figure", ""], [[name, str(value)] for name, value in told.items()]))


if __name__ == "__main__":
    main()
