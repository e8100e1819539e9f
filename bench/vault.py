"""How well are real notes answered? `python -m bench.vault --vault DIR --questions FILE [--provider P] [--json]`.

A folder of Markdown notes is imported as a person would, into a new memory; the questions of a vault-bench/1 file are
asked in whole turns, a follow-up in the session of the question it follows. An answer is right when every `gold`
pattern matches it and no `not` pattern does. `shown` counts the gold found in the answer or in the passages that were
shown in its place. Refused are the turns that gave no answer. One note of the person's own is enough for an answer, as
`voice init` sets it; `--single-source off` asks for two, as the library does.
"""

import argparse
import json
import re
import resource
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC
from functools import partial
from pathlib import Path
from time import process_time
from typing import cast

import anyio

from bench.corpus import Corpus
from bench.corpus import Question as Asked
from bench.report import Timings, machine, progress, table
from voice.adapters.embedding.hashed import HashedEmbedder
from voice.bootstrap import Parts, Services, open_services
from voice.core.errors import DataFileError, VoiceError
from voice.core.interchange.origin import Entrance
from voice.core.records import Entity, Observation, Row, RowStatus, Thought
from voice.core.retrieval.searchable_text import indexed_text
from voice.core.settings.parse import parse_settings
from voice.core.text.instants import UNDATED
from voice.ports.stores import MemoryStore
from voice.services.imports.request import ImportRequest
from voice.services.turn.ask import AskRequest, Turn

FORMAT = "vault-bench/1"
_PAGE = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question over a vault, with what a right answer holds."""

    id: str
    text: str
    follows: str | None
    kind: str
    is_answerable: bool
    gold: tuple[str, ...]
    evidence: tuple[str, ...]
    not_in: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of one question."""

    question: Question
    answer: str
    """Empty when nothing was answered."""
    passages: tuple[str, ...]
    """What was shown where nothing was answered."""
    reason: str | None
    cpu_ms: float

    @property
    def is_right(self) -> bool:
        """Whether it was answered, with every gold pattern and no forbidden one."""
        return bool(self.answer) and _holds(self.question, self.answer)

    @property
    def is_shown(self) -> bool:
        """Whether the gold stands in the answer or in what was shown in its place."""
        return _holds(self.question, "\n".join((self.answer, *self.passages)))

    @property
    def is_refused(self) -> bool:
        """Whether no answer was given."""
        return not self.answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What to measure, and with whom."""

    vault: Path
    questions: Path
    provider: str = "extractive"
    model: str | None = None
    api_base: str | None = None
    single_source: str = "green"


def _holds(question: Question, text: str) -> bool:
    def found(pattern: str) -> bool:
        return re.search(pattern, text, re.DOTALL) is not None

    return all(map(found, question.gold)) and not any(map(found, question.not_in))


def read_questions(path: Path) -> list[Question]:
    """Return the questions of a vault-bench/1 file, those that follow another behind it.

    Raises:
        DataFileError: it cannot be read or is not of the format.
    """
    try:
        data = cast("dict[str, object]", json.loads(path.read_text("utf-8")))
        if data["format"] != FORMAT:
            raise DataFileError(f"{path} is not a {FORMAT} file")
        return [_question(one) for one in cast("list[dict[str, object]]", data["questions"])]
    except OSError as error:
        raise DataFileError(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise DataFileError(f"{path} is not a {FORMAT} file ({type(error).__name__})") from error


def _question(entry: dict[str, object]) -> Question:
    def patterns(name: str) -> tuple[str, ...]:
        return tuple(map(str, cast("list[object]", entry.get(name) or [])))

    follows = entry.get("follows")
    return Question(
        id=str(entry["id"]),
        text=str(entry["question"]),
        follows=str(follows) if follows else None,
        kind=str(entry["kind"]),
        is_answerable=bool(entry["answerable"]),
        gold=patterns("gold"),
        evidence=patterns("evidence"),
        not_in=patterns("not"),
        notes=patterns("notes"),
    )


async def measure(options: Options) -> dict[str, object]:
    """Return the report on a vault and its questions."""
    questions = read_questions(options.questions)
    flags: dict[str, object] = {"gate.enabled": True, "llm.provider": options.provider}
    flags |= {"grounding.single_source": options.single_source}
    flags |= {"llm.model": options.model} if options.model else {}
    flags |= {"llm.api_base": options.api_base} if options.api_base else {}
    settings = parse_settings(flags, {}, {}).settings
    with tempfile.TemporaryDirectory(prefix="voice vault ") as passing:
        async with open_services(settings, Path(passing) / "home") as services:
            cost = await imported(services, options.vault)
            outcomes = await _asked(services, questions)
    return report(options, outcomes, cost)


async def imported(services: Services, vault: Path) -> dict[str, float | int]:
    """Bring the notes of a vault in, and return what that cost."""
    began = process_time()
    await services.transfer.import_memory(ImportRequest(path=str(vault), entrance=Entrance.CLI, zone=UTC))
    await services.index.refresh()
    cpu_s = process_time() - began
    rows = sum((await services.store.status()).rows.values())
    rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"cpu_s": round(cpu_s, 1), "rows": rows, "rss_mb": round(rss)}


async def vault_corpus(vault: Path, path: Path) -> tuple[Corpus, dict[str, str]]:
    """Return a vault as rows and questions whose evidence are notes, and the note of each row.

    The rows are the sentences that an import distils, as they are indexed; what follows a question is asked with it in
    front.
    """
    questions = read_questions(path)
    texts = {one.id: one.text for one in questions}
    with tempfile.TemporaryDirectory(prefix="voice vault ") as passing:
        parts = Parts(embedder=HashedEmbedder())
        settings = parse_settings({"gate.enabled": True}, {}, {}).settings
        async with open_services(settings, Path(passing) / "home", parts) as services:
            await imported(services, vault)
            rows = [row for row in await _all_rows(services.store) if row.status is RowStatus.ACTIVE]
    names = {row.id: row.name for row in rows if isinstance(row, Entity)}
    notes = {row.id: row.source_ref or "" for row in rows if isinstance(row, Thought)}
    told = [row for row in rows if isinstance(row, Observation) and row.provenance]
    asked = [
        Asked(
            text=" ".join(filter(None, (texts.get(one.follows or ""), one.text))),
            category=one.kind,
            evidence=frozenset(one.notes),
        )
        for one in questions
        if one.is_answerable
    ]
    corpus = Corpus(name=vault.name, rows=tuple(_said(row, names) for row in told), questions=tuple(asked))
    return corpus, {f"t:{row.id}": notes[row.provenance[0].thought_id] for row in told}


async def _all_rows(store: MemoryStore) -> list[Row]:
    rows, seq = list[Row](), 0
    while page := await store.changes(seq, _PAGE):
        rows += [change.row for change in page if change.row is not None]
        seq = page[-1].seq
    return rows


def _said(row: Observation, names: Mapping[str, str]) -> Thought:
    """Return an observation as a thought that is indexed by the same text."""
    return Thought(
        id=f"t:{row.id}",
        created_at=row.created_at,
        recorded_at=row.recorded_at,
        origin=row.origin,
        content=indexed_text(replace(row, created_at=UNDATED), names),
    )


async def _asked(services: Services, questions: Sequence[Question]) -> list[Outcome]:
    ask = services.makers.ask()
    sessions: dict[str, str] = {}
    outcomes: list[Outcome] = []
    for question in progress(questions, "asking"):
        began = process_time()
        session = sessions.get(question.follows or "")
        topic = None if session else "a question"
        turn = await ask(AskRequest(question=question.text, session_id=session, new_topic=topic))
        sessions[question.id] = turn.session.id
        cpu_ms = 1000 * (process_time() - began)
        places = await services.source_locations.cited(turn.exchange.evidence_found)
        outcomes.append(_outcome(question, turn, cpu_ms, {row_id: at.label for row_id, at in places.items()}))
    return outcomes


def _outcome(question: Question, turn: Turn, cpu_ms: float, places: Mapping[str, str]) -> Outcome:
    """Return what came of a question; a passage that is shown is read with the note that it is shown with."""
    exchange = turn.exchange
    is_answered = exchange.status == "answered"
    shown = exchange.evidence_found
    return Outcome(
        question=question,
        answer=exchange.answer if is_answered else "",
        passages=tuple(f"{places.get(source.source_id, '')}\n{source.span}" for source in shown),
        reason=None if is_answered else str(exchange.reason or exchange.status),
        cpu_ms=cpu_ms,
    )


def report(options: Options, outcomes: Sequence[Outcome], cost: dict[str, float | int]) -> dict[str, object]:
    """Return the figures of a run; shares are of the `n` beside them."""
    answerable = [one for one in outcomes if one.question.is_answerable]
    others = [one for one in outcomes if not one.question.is_answerable]
    kinds = dict.fromkeys(one.question.kind for one in outcomes)
    return {
        "vault": options.vault.name,
        "provider": options.provider,
        "single_source": options.single_source,
        "answerable": _answerable(answerable),
        "unanswerable": _unanswerable(others),
        "by_kind": {
            kind: (_answerable if some[0].question.is_answerable else _unanswerable)(some)
            for kind in kinds
            if (some := [one for one in outcomes if one.question.kind == kind])
        },
        "import": cost,
        "ask_cpu_ms": Timings([one.cpu_ms for one in outcomes]).summary(),
        "questions": [_line(one) for one in outcomes],
        "machine": machine(),
    }


def _answerable(some: Sequence[Outcome]) -> dict[str, float | int]:
    return {
        "n": len(some),
        "right": _share(one.is_right for one in some),
        "wrong": _share(not one.is_right and not one.is_refused for one in some),
        "refused": _share(one.is_refused for one in some),
        "shown": _share(one.is_shown for one in some),
    }


def _unanswerable(some: Sequence[Outcome]) -> dict[str, float | int]:
    return {
        "n": len(some),
        "refused": _share(one.is_refused for one in some),
        "answered": _share(not one.is_refused for one in some),
    }


def _share(held: Iterable[bool]) -> float:
    every = list(held)
    return round(sum(every) / len(every), 3) if every else 0.0


def _line(one: Outcome) -> dict[str, object]:
    judged = "refused" if one.is_refused else "right" if one.is_right else "wrong"
    outcome = judged if one.question.is_answerable or one.is_refused else "answered"
    return {"id": one.question.id, "outcome": outcome, "shown": one.is_shown, "reason": one.reason}


def _as_table(found: dict[str, object]) -> str:
    heads = ("", "n", "right", "wrong", "refused", "shown", "answered")
    kinds = cast("dict[str, dict[str, float | int]]", found["by_kind"])
    named = {name: cast("dict[str, float | int]", found[name]) for name in ("answerable", "unanswerable")} | kinds
    rows = [[name, *(str(figures.get(head, "–")) for head in heads[1:])] for name, figures in named.items()]
    return f"{table(heads, rows)}\nimport: {found['import']}\nprocessor ms a turn: {found['ask_cpu_ms']}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark and print its report."""
    parser = argparse.ArgumentParser(prog="python -m bench.vault", description=__doc__)
    parser.add_argument("--vault", type=Path, required=True, help="a folder of Markdown notes")
    parser.add_argument("--questions", type=Path, required=True, help=f"a {FORMAT} file")
    parser.add_argument("--provider", default="extractive", help="who writes the drafts")
    parser.add_argument("--model", help="the model of that provider")
    parser.add_argument("--api-base", help="where that provider listens")
    parser.add_argument(
        "--single-source", default="green", choices=("off", "green"), help="as the setting of this name"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = vars(parser.parse_args(arguments))
    as_json = given.pop("json")
    try:
        found = anyio.run(partial(measure, Options(**given)))
    except VoiceError as error:
        print(f"bench.vault: {error}", file=sys.stderr)
        return error.exit_code
    print(json.dumps(found, indent=1) if as_json else _as_table(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
