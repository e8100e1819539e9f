"""Reading `drafts-bench/1` files: labelled drafts with the rows that were sent for them.

Law: a draft comes in one of two forms. `sentences` has each with its citations and its own label; `reply` is a whole
turn's words in the form of S2, with a label for the draft and none for its sentences. A source may say `until` when its
statement ended. A file is read whole or refused with a sentence that names the line.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Literal, cast

from voice.core.errors import DataFileError
from voice.core.grounding.draft import parse_draft
from voice.core.grounding.values import Draft, DraftSentence, DraftSource, Evidence, SentenceKind, Stance
from voice.core.records import TrustTier
from voice.core.text.normalise import content_hash

Label = Literal["right", "wrong"]
_UNDATED = datetime(1, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """One sentence of a draft with what its author says of it."""

    text: str
    kind: SentenceKind
    sources: tuple[DraftSource, ...]
    is_true: bool | None
    """None: it states nothing that could be true or false."""
    error_kind: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftCase:
    """One labelled draft with everything it was written from."""

    draft_id: str
    question: str
    stance: Stance
    today: date
    rows: tuple[Evidence, ...]
    draft: Draft
    sentences: tuple[Labelled, ...]
    """Empty where only the draft as a whole is labelled."""
    label: Label
    style: str | None
    error_kind: str | None
    is_disputed: bool
    """Whether a blind verifier and the author disagree about it."""

    @property
    def now(self) -> datetime:
        """The beginning of the day it answers on."""
        return datetime(self.today.year, self.today.month, self.today.day, tzinfo=UTC)

    @property
    def spans(self) -> tuple[DraftSource, ...]:
        """Everything it cites, each once."""
        return tuple(dict.fromkeys(source for one in self.draft.sentences for source in one.sources))


def read_drafts(path: Path) -> list[DraftCase]:
    """Return the drafts of a file.

    Raises:
        DataFileError: the file is not there or a line is not of the format; the message names the line.
    """
    cases: list[DraftCase] = []
    for number, line in enumerate(lines_of(path), 1):
        try:
            cases.append(case_of(cast("dict[str, object]", json.loads(line))))
        except (ValueError, KeyError, TypeError) as error:
            raise DataFileError(f"{path}, line {number}: not a line of drafts-bench/1") from error
    return cases


def lines_of(path: Path) -> list[str]:
    """Return the lines of a file that hold anything.

    Raises:
        DataFileError: it is not there.
    """
    try:
        return [line for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]
    except OSError as error:
        raise DataFileError(f"{path}: {error.strerror}") from error


def case_of(value: Mapping[str, object]) -> DraftCase:
    """Return the draft that one line holds.

    Raises:
        ValueError: it is not of the format; `KeyError` and `TypeError` likewise.
    """
    label = value["label"]
    if label not in ("right", "wrong"):
        raise ValueError(label)
    sentences = tuple(_labelled(one) for one in cast("list[dict[str, object]]", value.get("sentences") or []))
    return DraftCase(
        draft_id=str(value["id"]),
        question=str(value["question"]),
        stance=Stance(value.get("stance") or "synthesize"),
        today=date.fromisoformat(str(value["today"])[:10]),
        rows=tuple(_row(one) for one in cast("list[dict[str, object]]", value["sources"])),
        draft=_draft(value, sentences),
        sentences=sentences,
        label=label,
        style=_text(value.get("style")),
        error_kind=_text(value.get("error_kind")),
        is_disputed=bool(value.get("disputed")),
    )


def _draft(value: Mapping[str, object], sentences: Sequence[Labelled]) -> Draft:
    if "reply" in value:
        parsed = parse_draft(json.dumps(value["reply"]))
        if not isinstance(parsed, Draft):
            raise ValueError(parsed.message)
        return parsed
    told = tuple(DraftSentence(text=one.text, kind=one.kind, sources=one.sources) for one in sentences)
    refused = bool(value.get("refused"))
    return Draft(sentences=() if refused else told, refused=refused)


def _labelled(value: Mapping[str, object]) -> Labelled:
    cited = cast("list[dict[str, str]]", value.get("citations") or [])
    is_true = value.get("true")
    return Labelled(
        text=str(value["text"]),
        kind=cast("SentenceKind", value.get("kind") or "claim"),
        sources=tuple(DraftSource(source_id=one["source_id"], span=one["span"]) for one in cited),
        is_true=is_true if isinstance(is_true, bool) else None,
        error_kind=_text(value.get("error_kind")),
    )


def _row(value: Mapping[str, object]) -> Evidence:
    alias, text = str(value["id"]), str(value["text"])
    return Evidence(
        alias=alias,
        row_id=alias,
        source_type=f"kg_{value.get('kind') or 'observation'}",
        text=text,
        shown=text,
        content_hash=content_hash(text),
        trust=TrustTier.GREEN,
        created_at=_day(value.get("date")) or _UNDATED,
        speaker=_text(value.get("speaker")),
        context=_text(value.get("title")),
        valid_until=_day(value.get("until")),
    )


def _day(value: object) -> datetime | None:
    return datetime.fromisoformat(str(value)[:10]).replace(tzinfo=UTC) if value else None


def _text(value: object) -> str | None:
    return str(value) if value else None
