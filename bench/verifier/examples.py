"""Labelled answers as the cross-encoder is trained on: a sentence, the evidence that holds most of it, a label.

Law: what is read here is what the program asks a verifier about (`opinions.as_pair`) and how (`pair_encoding`). A label
belongs to an answer; of an unsupported answer of several sentences only those are trained on that no supported answer
over the same sources has, or, where there is none to compare with, the one that its words support least. What is made
of a file's sources (`corruptions`) is held out with that file, and a memory with the files that have rows of it.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Final, cast

from bench.grounding import THRESHOLD, Item, read_items, whole_source
from bench.verifier.corruptions import made_of
from bench.verifier.scoring import is_asked
from voice.adapters.onnx.session import load_wordpiece
from voice.adapters.verifiers.pair_encoding import encode_pair
from voice.core.errors import DataFileError
from voice.core.grounding.claims import Grounds
from voice.core.grounding.neighbours import judge_sentences
from voice.core.grounding.opinions import as_pair, is_open
from voice.core.grounding.passages import all_passages
from voice.core.grounding.who import people_of
from voice.core.text.sentences import sentences

MADE: Final = "made"
"""The set of what is made: it is trained on and never measured."""
NEVER_HELD_OUT: Final = -1
_AROUND = 1
"""Rows of a memory before and after a row that are shown with it."""
_OVERLAP = 3
"""Rows of a memory in a fold's sources from which on it is held out with that fold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One sentence of one answer."""

    fold: int
    """The fold it is held out in."""
    set_name: str
    answer: int
    """The number of its answer, over all files."""
    is_unsupported: bool
    """The label of its answer."""
    is_trained_on: bool
    is_open: bool
    """Whether an opinion could change its verdict."""
    lexical: float
    pieces: list[int]
    marks: list[int]

    @property
    def is_made(self) -> bool:
        """Whether it was made of a source, and nobody said it."""
        return self.set_name.partition("/")[0] == MADE


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sentence:
    text: str
    lexical: float
    is_open: bool
    pieces: list[int]
    marks: list[int]


def read_examples(folds: Sequence[Sequence[Path]]) -> list[Example]:
    """Return the sentences of all files; the files of one fold are held out together.

    Raises:
        DataFileError: a file is not of grounding-bench/1.
    """
    made: list[Example] = []
    answers = 0
    for fold, paths in enumerate(folds):
        for path in paths:
            items = read_items(path)
            clean = _clean_sentences(items)
            for item in items:
                made += _examples_of(item, fold, answers, clean.get(_sources(item), frozenset()))
                answers += 1
    return made


def made_examples(
    folds: Sequence[Sequence[Path]], memories: Sequence[Path], *, of_each: int, seed: int
) -> list[Example]:
    """Return about `of_each` examples made of the sources of each file and of each memory (memory-bench/1).

    Raises:
        DataFileError: a file cannot be read.
    """
    chance = Random(seed)
    made: list[Example] = []
    held: list[frozenset[str]] = []
    for fold, paths in enumerate(folds):
        documents = [list(dict.fromkeys(_sources(item) for item in read_items(path))) for path in paths]
        held.append(frozenset(source for some in documents for sources in some for source in sources))
        for some in documents:
            made += _made(some, fold, of_each, chance)
    for path in memories:
        corpora = _memories(path)
        for windows in corpora:
            fold = _fold_of(windows, held)
            made += _made(windows, fold, of_each // len(corpora), chance)
    return made


def _made(documents: Sequence[Sequence[str]], fold: int, count: int, chance: Random) -> Iterator[Example]:
    for one in made_of(documents, count, chance):
        evidence = tuple(whole_source(f"s{number}", text) for number, text in enumerate(one.sources, 1))
        item = Item(set_name=f"{MADE}/{one.kind}", evidence=evidence, answer=one.text, is_unsupported=one.is_false)
        yield from _examples_of(item, fold, -1, frozenset())


def _memories(path: Path) -> list[list[tuple[str, ...]]]:
    """Return each memory of a file as its rows, each among its neighbours."""
    try:
        corpora = json.loads(path.read_text("utf-8"))["corpora"]
        found = [[_row(item) for item in corpus["items"]] for corpus in corpora]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataFileError(f"{path} is not a memory-bench/1 file ({type(error).__name__})") from error
    return [
        [tuple(rows[max(0, at - _AROUND) : at + _AROUND + 1]) for at in range(0, len(rows), 2 * _AROUND + 1)]
        for rows in found
    ]


def _row(item: object) -> str:
    said = cast("dict[str, str | None]", item)
    return f"{said['speaker']}: {said['text']}" if said["speaker"] else str(said["text"])


def _fold_of(windows: Sequence[Sequence[str]], held: Sequence[frozenset[str]]) -> int:
    """Return the fold in whose sources rows of a memory stand, with a caption behind them or none."""
    rows = [row for window in windows for row in window]
    shared = [
        sum(any(source.startswith(row) for source in sources) for row in rows[: 100 * _OVERLAP]) for sources in held
    ]
    most = max(shared, default=0)
    return shared.index(most) if most >= _OVERLAP else NEVER_HELD_OUT


def _sources(item: Item) -> tuple[str, ...]:
    return tuple(row.text for row in item.evidence)


def _clean_sentences(items: Sequence[Item]) -> dict[tuple[str, ...], frozenset[str]]:
    """Return the sentences of the supported answers over the same sources."""
    found: dict[tuple[str, ...], frozenset[str]] = {}
    for item in items:
        if not item.is_unsupported:
            key = _sources(item)
            found[key] = found.get(key, frozenset()) | frozenset(sentences(item.answer))
    return found


def _examples_of(item: Item, fold: int, answer: int, clean: frozenset[str]) -> Iterator[Example]:
    read = list(_sentences_of(item))
    chosen = _trained_on(item, read, clean)
    for at, one in enumerate(read):
        yield Example(
            fold=fold,
            set_name=item.set_name,
            answer=answer,
            is_unsupported=item.is_unsupported,
            is_trained_on=at in chosen,
            is_open=one.is_open,
            lexical=one.lexical,
            pieces=one.pieces,
            marks=one.marks,
        )


def _sentences_of(item: Item) -> Iterator[_Sentence]:
    grounds = Grounds(
        rows=item.evidence,
        passages=tuple(passage for row in item.evidence for passage in all_passages(row)),
        people=people_of(item.evidence),
    )
    texts = sentences(item.answer)
    for text, judged in zip(texts, judge_sentences(texts, grounds, THRESHOLD), strict=True):
        if is_asked(judged) and grounds.passages:
            pair = as_pair(text, judged, grounds.passages)
            ids = encode_pair(load_wordpiece(), pair.claim, pair.evidence)
            can_change = is_open(text, judged)
            yield _Sentence(text=text, lexical=pair.lexical, is_open=can_change, pieces=ids.pieces, marks=ids.marks)


def _trained_on(item: Item, read: Sequence[_Sentence], clean: frozenset[str]) -> set[int]:
    """Return the places of the sentences that the answer's label is taken for."""
    if not item.is_unsupported or len(read) < 2:
        return set(range(len(read)))
    fresh = {at for at, one in enumerate(read) if one.text not in clean}
    if fresh and len(fresh) < len(read):
        return fresh
    return {max(range(len(read)), key=lambda at: read[at].lexical)}
