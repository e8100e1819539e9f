"""Labelled answers as the cross-encoder is trained on: a sentence, the evidence that holds most of it, a label.

Law: what is read here is what the program asks a verifier about (`opinions.as_pair`) and how (`pair_encoding`). A label
belongs to an answer; of an unsupported answer of several sentences only those are trained on that no supported answer
over the same sources has, or, where there is none to compare with, the one that its words support least.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.grounding import THRESHOLD, Item, read_items
from bench.verifier.scoring import is_asked
from voice.adapters.onnx.session import load_wordpiece
from voice.adapters.verifiers.pair_encoding import encode_pair
from voice.core.grounding.claims import Grounds
from voice.core.grounding.neighbours import judge_sentences
from voice.core.grounding.opinions import as_pair
from voice.core.grounding.passages import all_passages
from voice.core.grounding.who import people_of
from voice.core.text.sentences import sentences


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
    """Whether an opinion could change its verdict: no hard check fired."""
    lexical: float
    pieces: list[int]
    marks: list[int]


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
            is_open = all(finding.effect == "note" for finding in judged.findings)
            yield _Sentence(text=text, lexical=pair.lexical, is_open=is_open, pieces=ids.pieces, marks=ids.marks)


def _trained_on(item: Item, read: Sequence[_Sentence], clean: frozenset[str]) -> set[int]:
    """Return the places of the sentences that the answer's label is taken for."""
    if not item.is_unsupported or len(read) < 2:
        return set(range(len(read)))
    fresh = {at for at, one in enumerate(read) if one.text not in clean}
    if fresh and len(fresh) < len(read):
        return fresh
    return {max(range(len(read)), key=lambda at: read[at].lexical)}
