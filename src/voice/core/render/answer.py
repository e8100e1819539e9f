"""A judged turn as people read it.

Law: what is shown was judged; a sentence that is not proven bears its mark wherever it stands, a refusal shows its
reason and the evidence there was (rulings D1, D3, D6). What was left out is counted and told, never shown. Percentages
are the computed ones. Nothing here decides.
Source: spec stateful-design-v2, 8 format_response_with_sources; DESIGN 6; rulings D1, D6, D9a.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import regex

from voice.core.grounding.answer_text import SIGN_OF_RUNG, mark_of, marked, opening_of
from voice.core.grounding.values import Rung, SourceCitation
from voice.core.messages import showing as messages
from voice.core.render.verification import checked_line, lapse_line, left_out_line, proof_of
from voice.core.session.exchange import with_marks
from voice.core.session.values import DialogueExchange
from voice.core.text.display import inert_signs, printable
from voice.core.text.lazy import late_pattern
from voice.core.text.markdown import tables_as_text
from voice.core.text.markup import without_markup

NOTE_BELOW = 0.8  # S2's threshold of coverage
Places = Mapping[str, str]
"""Where sources stand, by their rows' ids: `Garden/Gate.md:12`."""
NOWHERE: Places = {}
# "3." or "3)" at the start of a line: Markdown counts a list anew from its first number.
_NUMBERED = late_pattern(r"^(?P<number>\d{1,9})(?P<sign>[.)])(?=\s)", regex.MULTILINE)
_HEADING = late_pattern(r"^ {0,3}#{1,6}\s+", regex.MULTILINE)
_CLOSEST = 3  # passages that a refusal shows
_NEAR = 2  # lines that part two sentences of one passage at most: a blank one stands between paragraphs
# Fields of a turn that a reader sees.
_WORDS = frozenset({"my_query", "answer", "notes", "sources", "evidence_found", "premise"})
# A turn loses this field only with all that was said in it: it came from a file without them.
_EVERY_WORD = "memories_referenced"


@dataclass(frozen=True, slots=True, kw_only=True)
class Replacement:
    """What a memory says now in the place of a row that an answer rests on."""

    row_id: str
    words: str
    """Empty where they are not shown."""


Replacements = Mapping[str, Replacement]
"""By the ids of the rows that were replaced."""
NOT_REPLACED: Replacements = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedSentence:
    """One sentence with its rung and the numbers of the sources it rests on (from 1)."""

    rung: Rung
    text: str
    footnotes: tuple[int, ...]
    reasons: tuple[str, ...]
    """Why it is not proven, in words."""
    proof: str
    """What put it on its rung, in words: "quoted word for word", "verified by …"."""
    verifier: str | None = None
    replaced: tuple[Replacement, ...] = ()
    """What took the place of rows that it rests on, since the answer was given."""

    @property
    def shown(self) -> str:
        """The sentence as a person reads it."""
        return without_markup(self.text)

    @property
    def sign(self) -> str:
        """The rung as one character."""
        return SIGN_OF_RUNG[self.rung]

    @property
    def mark(self) -> str | None:
        """The sign and the word that warn of it; None where nothing has to."""
        return mark_of(self.rung)

    @property
    def is_doubtful(self) -> bool:
        """Whether the reader has to be warned."""
        return self.mark is not None


def marked_sentences(exchange: DialogueExchange, replaced: Replacements = NOT_REPLACED) -> tuple[MarkedSentence, ...]:
    """Return the sentences of an accepted answer, each with its mark and footnotes; nothing of a refused one."""
    if exchange.refused:
        return ()
    numbers = source_numbers(exchange.sources)
    return tuple(
        MarkedSentence(
            rung=sentence.rung,
            text=inert_signs(sentence.text),
            footnotes=tuple(sorted({numbers[r.row_id] for r in sentence.receipts if r.row_id in numbers})),
            reasons=sentence.reasons,
            proof=proof_of(sentence),
            verifier=sentence.verifier,
            replaced=tuple(dict.fromkeys(replaced[r.row_id] for r in sentence.receipts if r.row_id in replaced)),
        )
        for sentence in exchange.sentences
        if sentence.text
    )


def lost_words(exchange: DialogueExchange) -> str | None:
    """Return why words that a turn had are not here; None where it has them all."""
    gone = {name for name, _ in exchange.redacted}
    if _EVERY_WORD in gone:
        return messages.NOT_STORED_HERE
    return messages.WORDS_DELETED if gone & _WORDS else None


def source_numbers(sources: tuple[SourceCitation, ...]) -> dict[str, int]:
    """Return each cited row's number in the list of sources (`sources_by_row`), from 1."""
    return {row[0].source_id: number for number, row in enumerate(sources_by_row(sources), start=1)}


def sources_by_row(sources: Sequence[SourceCitation]) -> tuple[tuple[SourceCitation, ...], ...]:
    """Return the citations of each row together, in order of first citation; not those whose words were deleted."""
    rows: dict[str, list[SourceCitation]] = {}
    for source in filter(lambda cited: cited.span, sources):  # a deleted span is empty
        rows.setdefault(source.source_id, []).append(source)
    return tuple(tuple(cited) for cited in rows.values())


def quoted_spans(row: Sequence[SourceCitation]) -> tuple[str, ...]:
    """Return what is cited of one row, each passage once, as a person reads it."""
    spans = tuple(dict.fromkeys(quoted(without_markup(source.span)) for source in row))
    return tuple(filter(None, spans)) or spans  # of a picture without words nothing is left


def closest_passages(exchange: DialogueExchange, places: Places = NOWHERE) -> tuple[tuple[SourceCitation, ...], ...]:
    """Return what a refusal found, the lines of a note that follow on one another together, the closest first."""
    found: list[list[SourceCitation]] = []
    for row in sources_by_row(exchange.evidence_found):
        if found and _follows(found[-1][-1], row[0], places):
            found[-1] += row
        else:
            found.append(list(row))
    return tuple(map(tuple, found[:_CLOSEST]))  # evidence comes the closest first


def _follows(before: SourceCitation, source: SourceCitation, places: Places) -> bool:
    """Return whether a source stands right behind another in its note."""
    (note, line), (other, at) = (_note_and_line(places.get(each.source_id, "")) for each in (before, source))
    return note == other and line is not None and at is not None and 0 <= at - line <= _NEAR  # one note, in its order


def _note_and_line(place: str) -> tuple[str, int | None]:
    """Return the note and the line of a place: `Gate.md:12`."""
    note, _, line = place.rpartition(":")
    return note, int(line) if line.isdecimal() else None  # conversations have no line: "whatsapp/Paul"


def render_markdown(exchange: DialogueExchange, places: Places = NOWHERE) -> str:
    """Return the turn as S2 prints it: the answer, sources with spans and places, the coverage where it is low."""
    if exchange.refused:
        return _refusal_markdown(exchange, places)
    notes = (*lines_beside(exchange), *premise_lines(exchange))
    parts = [_escape_list_numbers(shown_answer(exchange)), *(f"*{line}*" for line in notes)]
    if exchange.sources:
        rows = enumerate(sources_by_row(exchange.sources), start=1)
        lines = [f"{number}. {_source_line(row, places)}" for number, row in rows]
        parts.append(f"**{messages.SOURCES}:**\n" + "\n".join(lines))
    doubts: list[str] = []
    for sentence in marked_sentences(exchange):
        if sentence.is_doubtful:
            doubts.append(f"- {marked(quoted(sentence.text), sentence.rung)}")
            doubts += (f"  - {quoted(reason)}" for reason in sentence.reasons)
    if doubts:
        parts.append(f"**{messages.IN_DOUBT}:**\n" + "\n".join(doubts))
    note = coverage_note(exchange)
    if note:
        parts.append(f"*{note}*")
    return "\n\n".join(parts)


def shown_answer(exchange: DialogueExchange) -> str:
    """Return an answer with its marks; what looks like one in the words of a sentence is inert."""
    shown = with_marks(exchange)
    answer = shown.answer
    for each in shown.sentences:
        # Inert signs keep the length, so the offsets of later sentences hold.
        answer = f"{answer[: each.start]}{inert_signs(answer[each.start : each.end])}{answer[each.end :]}"
    return answer


def _source_line(row: Sequence[SourceCitation], places: Places) -> str:
    place = places.get(row[0].source_id)
    return f"[{row[0].source_id}] {' … '.join(quoted_spans(row))}" + (f" ({place})" if place else "")


def _escape_list_numbers(answer: str) -> str:
    """Return an answer whose quoted "3." no reader of Markdown counts anew; a list that counts from 1 stays one."""
    numbers = [int(match["number"]) for match in _NUMBERED.finditer(answer)]
    return answer if numbers == list(range(1, len(numbers) + 1)) else _NUMBERED.sub(r"\g<number>\\\g<sign>", answer)


def lines_beside(exchange: DialogueExchange) -> tuple[str, ...]:
    """Return what a reader is told of sentences that are not there or not checked, each in one line."""
    return tuple(filter(None, (left_out_line(exchange), lapse_line(exchange))))


def premise_lines(exchange: DialogueExchange) -> tuple[str, ...]:
    """Return what the question takes for granted against the sources of an accepted answer, as sentences."""
    return () if exchange.refused else tuple(f"{note[:1].upper()}{note[1:]}." for note in exchange.premise)


def coverage_note(exchange: DialogueExchange) -> str | None:
    """Return S2's note on an answer that its sources cover thinly, with the computed percentage; None otherwise."""
    if not exchange.tells_coverage or exchange.coverage_ratio >= NOTE_BELOW:
        return None
    return messages.low_coverage(exchange.coverage_ratio * 100)


def render_plain(exchange: DialogueExchange, day_of: Callable[[datetime], str], places: Places = NOWHERE) -> str:
    """Return the turn to be read aloud: whole sentences, no signs; `day_of`: an instant's day where they live."""
    if exchange.refused:
        return "\n".join(_plain_refusal(exchange, day_of, places))
    if not exchange.tells_coverage:
        return exchange.answer  # it states nothing to prove
    marked = marked_sentences(exchange)
    rows = sources_by_row(exchange.sources)
    lines = [line for place, sentence in enumerate(marked, start=1) for line in _plain_sentence(place, sentence)]
    lines += [f"{line}." for line in lines_beside(exchange)]
    lines += [messages.mind(line) for line in premise_lines(exchange)]
    lines += [messages.source(number, _plain_source(row, day_of, places)) for number, row in enumerate(rows, start=1)]
    covered = messages.proven_by(len(rows), exchange.coverage_ratio * 100)
    checked = checked_line(exchange)
    counts = [messages.sentences(checked)] if checked else []
    return "\n".join([*(lines or [exchange.answer]), *counts, covered])  # no stored sentences: the answer as a whole


def _plain_sentence(place: int, sentence: MarkedSentence) -> Iterator[str]:
    rests = messages.RESTS.get(sentence.rung, messages.RESTS_ELSE)
    where = f" {rests} {_sources_phrase(sentence.footnotes)}" if sentence.footnotes else ""
    yield messages.sentence(place, f"{messages.RUNGS[sentence.rung]}{where}", quoted(sentence.shown))
    if sentence.is_doubtful:
        yield from (messages.reason(quoted(reason)) for reason in sentence.reasons)


def _sources_phrase(numbers: Sequence[int]) -> str:
    *first, last = [str(number) for number in numbers]
    return messages.sources_of(", ".join(first), last) if first else messages.source_of(last)


def _plain_source(row: Sequence[SourceCitation], day_of: Callable[[datetime], str], places: Places) -> str:
    row_id = row[0].source_id
    return messages.source_says(day_of(row[0].created_at), row_id, places.get(row_id), quoted_spans(row))


def _plain_refusal(exchange: DialogueExchange, day_of: Callable[[datetime], str], places: Places) -> Iterator[str]:
    yield messages.no_answer(opening_of(exchange.reason))
    yield from (messages.reason(quoted(note)) for note in notes_of(exchange))
    yield from (f"{line}." for line in lines_beside(exchange))
    for place, passage in enumerate(closest_passages(exchange, places), start=1):
        yield f"{messages.CLOSEST}, {place}: {_plain_source(passage, day_of, places)}"


def notes_of(exchange: DialogueExchange) -> tuple[str, ...]:
    """Return what a turn's note says, piece by piece."""
    return tuple(filter(None, (piece.strip().rstrip(".") for piece in (exchange.notes or "").split("; "))))


def _refusal_markdown(exchange: DialogueExchange, places: Places) -> str:
    opening = opening_of(exchange.reason)
    why = " ".join((opening, *map(_as_sentence, notes_of(exchange))))
    reason = f"*{messages.REASON}: {exchange.reason.value}*" if exchange.reason else ""
    beside = "\n\n".join(f"*{line}*" for line in lines_beside(exchange))
    passages = enumerate(closest_passages(exchange, places), start=1)
    found = [f"{number}. {_source_line(passage, places)}" for number, passage in passages]
    evidence = f"**{messages.CLOSEST}:**\n" + "\n".join(found) if found else ""
    return "\n\n".join(part for part in (why, reason, beside, evidence) if part)


def _as_sentence(notes: str) -> str:
    """Return a note as a sentence of its own: with a capital, and with a full stop where nothing else ends it."""
    said = quoted(notes)
    return f"{said[0].upper()}{said[1:]}" + ("" if said.endswith((".", "!", "?", "…")) else ".") if said else ""


def quoted(span: str) -> str:
    """Return a stored span as a person reads it: on one line, headings and rows of tables in words, inert."""
    return inert_signs(printable(_HEADING.sub("", tables_as_text(span))))
