"""Prove a draft by rules alone, sentence by sentence, before any verifier is asked.

Law: a draft is split into single sentences; each is checked only against the rows it cites. Deterministic.
Source: DESIGN 6 (the ladder of proof); rulings A3, D1.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import cache, cached_property, lru_cache, partial
from itertools import pairwise
from operator import mul
from typing import Final, NamedTuple

from voice.core.grounding.citations import (
    Citations,
    alias_of,
    check_citations,
    indices_in,
    leading_markers,
    markers_in,
    unbracketed_markers,
    with_indices_of_notes,
    without_hidden,
    without_markers,
)
from voice.core.grounding.doubts import Doubt, GivenContext, doubts_of
from voice.core.grounding.quotations import CitedSpan, quotations_in
from voice.core.grounding.source_labels import said_on
from voice.core.grounding.values import (
    Draft,
    DraftSentence,
    DraftSource,
    Evidence,
    LocatedSpan,
    SentenceKind,
    describe_ending,
    has_ended,
)
from voice.core.text.dates import mention_of_day, stated_dates, supports_date
from voice.core.text.lazy import late_pattern
from voice.core.text.markdown import is_lead_in, with_code_whole
from voice.core.text.normalise import WORD_JOINER, strip_invisible
from voice.core.text.sentences import ASKED, EXCLAIMED, sentence_spans, sentences
from voice.core.text.words import content_words, words

WEIGHTS: Final = (4.837, 3.39, 0.612, 1.177, 0.942)
"""Of new words, broken pairs, words that the best sentence lacks, numbers, names; fitted by `bench.support`."""
BIAS: Final = -3.988  # fitted with the weights


@dataclass(frozen=True, slots=True)
class Likeness:
    """Dissimilarity features of one sentence and its sources; higher is less alike."""

    features: tuple[float, ...]

    @property
    def score(self) -> float:
        """Dissimilarity, 0-1."""
        total = BIAS + sum(map(mul, WEIGHTS, self.features))
        return 1 / (1 + math.exp(-total))


def likeness(text: str, sources: Sequence[str], doubts: Sequence[Doubt] = ()) -> Likeness:
    """Measure how little `sources` resemble a sentence or answer, its `doubts` considered."""
    own, said = words(text), _source_words(tuple(sources))
    keys, stems = {word.key for word in own}, {word.stem for word in own if not word.is_stop}
    pairs = set(pairwise(word.stem for word in own))
    return Likeness(
        (
            len(keys - said.keys) / len(keys) if keys else 0.0,
            len(pairs - said.pairs) / len(pairs) if pairs else 0.0,
            1 - max((len(stems & other) for other in said.stems), default=0) / len(stems) if stems else 0.0,
            float(any(doubt.flag in ("number", "date") for doubt in doubts)),
            float(any(doubt.flag in ("name", "identifier") for doubt in doubts)),
        )
    )


class _SourceWords(NamedTuple):
    """Words of the sources, prepared for comparison."""

    keys: frozenset[str]
    pairs: frozenset[tuple[str, str]]
    stems: frozenset[frozenset[str]]  # one set per distinct sentence


@lru_cache(maxsize=8)
def _source_words(sources: tuple[str, ...]) -> _SourceWords:
    """Read `sources` once for all sentences that cite them."""
    said = [words(sentence) for source in sources for sentence in sentences(source)]
    return _SourceWords(
        frozenset(word.key for own in said for word in own),
        frozenset(pair for own in said for pair in pairwise(word.stem for word in own)),
        frozenset(frozenset(word.stem for word in own) for own in said),
    )


_MARKS = late_pattern(r"[\"“”„«»‘’‚‹›「」『』]|\B'|'\B")
_CLOSERS = " \t\n\"'”’»)]}*_`!！…"  # what may stand behind a question mark: "Is it so?!”"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProofContext:
    """The question a draft answers, the time, and who wrote the draft."""

    question: str = ""
    now: datetime | None = None
    by_model: bool = True
    """Whether a model wrote the draft; False: rules composed it from the evidence."""

    @property
    def today(self) -> date | None:
        """The date of `now`."""
        return self.now.date() if self.now else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProvenSentence:
    """One sentence of a draft with the rules' findings."""

    text: str
    before: str
    """The white space before it."""
    kind: SentenceKind
    citations: Citations
    rows: tuple[Evidence, ...]
    """The cited rows, distinct, in order."""
    quoted: tuple[CitedSpan, ...]
    """The sentences it repeats; empty if it is not a quotation."""
    doubts: tuple[Doubt, ...]
    ended: str | None
    """Why its present-tense statement is outdated; None if it is not."""
    score: float
    weight: float

    @property
    def is_quoted(self) -> bool:
        """Whether rules alone prove it; if not, a verifier is asked about it."""
        return bool(self.quoted) and self.ended is None


@dataclass(frozen=True)
class Proof:
    """A whole draft with the rules' findings."""

    draft: Draft
    sent: tuple[Evidence, ...]
    context: ProofContext
    sentences: tuple[ProvenSentence, ...]
    invented: tuple[LocatedSpan, ...] = ()
    """Invented citations of no sentence, as when inline markers override them; they count nevertheless."""

    @cached_property
    def citations(self) -> Citations:
        """The citations of all sentences, distinct."""
        accepted = dict.fromkeys(span for one in self.sentences for span in one.citations.accepted)
        kept = (span for one in self.sentences for span in one.citations.rejected)
        rejected = dict.fromkeys((*kept, *self.invented))
        return Citations(tuple(accepted), tuple(rejected))

    @property
    def is_settled(self) -> bool:
        """Whether the verdict is independent of a verifier: refused, invented, uncited or fully quoted."""
        proves_nothing = self.draft.refused or self.citations.fabricated or not self.citations.accepted
        return bool(proves_nothing) or all(one.is_quoted for one in self.sentences)


def prove(draft: Draft, evidence: Sequence[Evidence], context: ProofContext) -> Proof:
    """Apply the rules to each sentence of `draft`, against the rows of this prompt (ruling D4)."""
    rows = {row.alias: row for row in evidence}
    indices = indices_in(evidence)
    split = [piece for sentence in draft.sentences for piece in _split(sentence, indices)]
    pieces = [piece for piece in split if without_markers(piece.text).strip()]  # a piece of markers alone says nothing
    cited = tuple(dict.fromkeys(source for piece in pieces for source in piece.sources))
    # One value for all sentences that cite the same rows, in this draft only.
    given_by = cache(partial(GivenContext, question=context.question, today=context.today))
    sentences = tuple(_proven(piece, cited, rows, context, given_by) for piece in pieces)
    named = dict.fromkeys(source for sentence in (*draft.sentences, *split) for source in sentence.sources)
    used = frozenset(cited)
    invented = check_citations([source for source in named if source not in used], "", rows).fabricated
    return Proof(draft=draft, sent=tuple(evidence), context=context, sentences=sentences, invented=invented)


def _split(sentence: DraftSentence, indices: frozenset[str]) -> list[DraftSentence]:
    """Split a draft sentence into single sentences; inline markers become citations, code in `indices` does not."""
    text = with_indices_of_notes(without_hidden(sentence.text), indices)
    pieces = _pieces(text)
    if len(pieces) > 1 and is_lead_in(pieces[0]):
        pieces = [text.rstrip()]  # a list with its introduction is quoted as a whole
    return [_with_markers(replace(sentence, text=piece)) for piece in pieces]


def _pieces(text: str) -> list[str]:
    """Return the sentences with the white space before each; a marker after a full stop belongs to the one before."""
    pieces: list[str] = []
    is_led = leading_markers(text.lstrip()) > 0  # "[S1] It is. [S2] So was it.": markers come first
    last = 0
    for start, end in with_code_whole(text):
        piece = text[start:end]
        marker = 0 if is_led else leading_markers(piece)
        if marker and pieces:
            pieces[-1] = f"{pieces[-1]} {piece[:marker].strip()}"
            piece = piece[marker:]
        pieces += [text[last:start] + piece] if piece.strip() else []
        last = end
    return pieces


def _with_markers(sentence: DraftSentence) -> DraftSentence:
    named = markers_in(sentence.text)
    if not named:
        return sentence
    own = [source for source in sentence.sources if alias_of(source.source_id) in named]
    cited = {alias_of(source.source_id) for source in own}
    bare = [DraftSource(source_id=alias, span="") for alias in named if alias not in cited]
    return replace(sentence, sources=(*own, *bare))


def _proven(
    sentence: DraftSentence,
    others: Sequence[DraftSource],
    rows: Mapping[str, Evidence],
    context: ProofContext,
    given_by: Callable[[tuple[Evidence, ...]], GivenContext],
) -> ProvenSentence:
    """Apply the rules to one sentence; without citations of its own it is checked against `others`."""
    citations = check_citations(sentence.sources or others, sentence.text, rows)
    bare = without_markers(sentence.text)
    said = strip_invisible(bare).strip()
    text = unbracketed_markers(said) if WORD_JOINER in bare else said
    cited = tuple(rows[alias] for alias in dict.fromkeys(span.alias for span in citations.accepted))
    quoted = quotations_in(said, cited) if cited else ()
    given = given_by(cited)
    doubts = () if quoted else doubts_of(text, given)  # word for word, nothing can be added
    kind = sentence.kind
    exclaims = bool(quoted) and EXCLAIMED.search(quoted[-1].row.text, quoted[-1].start, quoted[-1].end) is not None
    # Without its marks, 'He wrote: "I left. Did you?"' is two sentences, and no question.
    is_one = len(sentence_spans(_MARKS.sub(" ", text))) == 1
    if is_one and ASKED.search(text.rstrip(_CLOSERS)) and not exclaims:
        kind = "question"
    elif kind == "question" and context.by_model:
        kind = "claim"  # a model's "question" without a question mark
    return ProvenSentence(
        text=text,
        before=bare[: len(bare) - len(bare.lstrip())],
        kind=kind,
        citations=citations,
        rows=cited,
        quoted=quoted,
        doubts=doubts,
        ended=_ended(text, quoted, cited, context.now),
        score=0.0 if quoted else round(likeness(text, given.texts, doubts).score, 4),
        # At least 1: a claim of stop words alone counts as one.
        weight=float(len(content_words(text)) or 1) if kind == "claim" else 0.0,
    )


def _ended(text: str, quoted: Sequence[CitedSpan], cited: Sequence[Evidence], now: datetime | None) -> str | None:
    """Return why a sentence states something outdated as current; None if it cites a current row or gives the date."""
    rows = tuple(dict.fromkeys(one.row for one in quoted)) or tuple(cited)  # of a quotation only its own rows
    if not rows or not all(has_ended(row, now) for row in (*rows, *cited)):
        return None
    days = [day for row in rows for day in (said_on(row), row.valid_until.date() if row.valid_until else None) if day]
    # With the day of telling or ending beside it, the statement is of the past.
    if any(supports_date(mention, mention_of_day(day)) for mention in stated_dates(text) for day in days):
        return None
    return describe_ending(rows[0])
