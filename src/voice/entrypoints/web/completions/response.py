"""A judged turn as a chat completion, whole or in chunks.

Law: of an answer only what is proven leaves, whatever the policy shows at other doors; what is held back is counted and
told. Two more kinds of sentence leave, since neither can be untrue: what rules put there and no model wrote (a heading,
a greeting), and, where the voice was to ask back, the questions that were judged to presuppose nothing unproven. A
refusal is a message like any other, in our words and in those of the notes found. Each sentence has the sources it
rests on as annotations, whose offsets count the characters of the content. Clients render Markdown: what notes hold is
never an image, a link or HTML there. Beside the members that clients of OpenAI's interface read stands one, `voice`,
which they pass over.
Source: promises 1, 2; rulings D1, D3, D6, D9a; OpenAI API reference, "The chat completion object", "The chat completion
chunk object".
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import quote

from voice.core.grounding.answer_text import advice_of, opening_of
from voice.core.grounding.values import CutSentence, RefusalReason, SentenceVerdict, SourceCitation, Stance
from voice.core.interchange.origin import Location
from voice.core.messages.showing import ADD_A_SOURCE, CLOSEST
from voice.core.render.answer import closest_passages, lines_beside, notes_of, premise_lines, quoted, quoted_spans
from voice.core.session.values import DialogueExchange
from voice.core.text.display import inert_markdown, inert_signs, printable, printable_block, truncate
from voice.core.text.markup import without_markup
from voice.entrypoints.shared.sessions import EXTRACTIVE_PROVIDER
from voice.entrypoints.web.completions.request import MODELS
from voice.entrypoints.web.pages.addresses import source_url

_BLANK_LINE = "\n\n"
_TITLE_CHARS = 60  # of a source's words that it is called by


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation:
    """A source of a stretch of the content."""

    start: int
    end: int
    url: str
    title: str
    source_id: str

    def to_json(self) -> Mapping[str, object]:
        """Return it as clients read it."""
        place = {"start_index": self.start, "end_index": self.end, "url": self.url, "title": self.title}
        return {"type": "url_citation", "url_citation": {**place, "source_id": self.source_id}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Locations:
    """Where sources are opened: in their notes, or else on the server's pages."""

    notes: Mapping[str, Location]
    origin: str | None
    """The server's address, as the client calls it; None: it has no pages."""

    def url(self, source: SourceCitation) -> str:
        """Return the address that opens a source; without any, one that names its row."""
        at = self.notes.get(source.source_id)
        if at and at.uri:
            return at.uri
        page = source_url(source.source_id, source.span_start, source.span_end)
        return f"voice:{quote(source.source_id, safe='')}" if self.origin is None else f"{self.origin}{page}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:  # a stream sends it as one chunk
    """A stretch of the content, with the sources of what it says."""

    text: str
    annotations: tuple[Annotation, ...] = ()


def pieces_of(exchange: DialogueExchange, locations: Locations) -> tuple[Piece, ...]:
    """Return the content of a completion, piece by piece."""
    if exchange.refused:
        return _refusal_pieces(exchange, locations)
    leaving, shown = [each for each in exchange.sentences if _may_leave(each, exchange)], _with_unproven_cut(exchange)
    pieces = _sentence_pieces(exchange, leaving, locations) if leaving else [Piece(text=_nothing_proven(exchange))]
    notes = (*lines_beside(shown), *premise_lines(shown))
    return (*pieces, *(Piece(text=f"{_BLANK_LINE}*{inert_markdown(printable(line))}*") for line in notes))


def voice_of(exchange: DialogueExchange) -> Mapping[str, object]:
    """Return what a program may want to know beside the message: where it was asked, and what became of it."""
    return {
        "session": exchange.session_id,
        "exchange": exchange.id,
        "refused": exchange.refused,
        "reason": None if exchange.reason is None else exchange.reason.value,
        "coverage_ratio": exchange.coverage_ratio,
        "left_out": len(_with_unproven_cut(exchange).cut),
    }


def usage_of(exchange: DialogueExchange) -> Mapping[str, int] | None:
    """Return what was used; None where nobody reported it."""
    prompt, completion = exchange.prompt_tokens, exchange.completion_tokens
    if prompt is None or completion is None:  # half of a sum would be wrong
        return None
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


def _may_leave(sentence: SentenceVerdict, exchange: DialogueExchange) -> bool:
    if sentence.is_proven:
        return True
    is_ours = exchange.provider == EXTRACTIVE_PROVIDER or not exchange.attempts  # no model wrote it: no call was made
    is_asked_back = exchange.stance is Stance.QUESTION and sentence.kind == "question"  # judged to presuppose nothing
    return sentence.rung == "remark" and (is_ours or is_asked_back)


def _with_unproven_cut(exchange: DialogueExchange) -> DialogueExchange:
    unproven = [each for each in exchange.sentences if each.needs_mark and not exchange.refused]
    cut = (CutSentence(rung=each.rung, kind=each.kind, weight=each.weight, digest="") for each in unproven)
    kept = tuple(each for each in exchange.sentences if each not in unproven)
    return replace(exchange, sentences=kept, cut=(*exchange.cut, *cut))


def _nothing_proven(exchange: DialogueExchange) -> str:
    """Return what is said for an answer of which nothing is proven; one without sentences was never more than words."""
    return opening_of(RefusalReason.UNSUPPORTED_CLAIM) if exchange.sentences or exchange.attempts else exchange.answer


def _sentence_pieces(
    exchange: DialogueExchange, leaving: Sequence[SentenceVerdict], locations: Locations
) -> Iterator[Piece]:
    """Yield the sentences that leave, with the layout between those that stand side by side."""
    sentences = list(exchange.sentences)
    cited = {(each.source_id, each.span_start, each.span_end): each for each in exchange.sources}  # by span, not row
    length = 0
    for sentence in leaving:
        at = sentences.index(sentence)
        before = sentences[at - 1] if at else None  # the sentence before in the answer, whether it leaves or not
        lead = _layout_between(exchange.answer, before.end if before else 0, sentence.start)
        if before is not None and before not in leaving:  # its layout would be that of a gap
            lead = " " if length else ""
        text = f"{lead}{inert_markdown(inert_signs(without_markup(printable_block(sentence.text))))}"
        spans = [cited.get((each.row_id, each.start, each.end)) for each in sentence.receipts]  # None: deleted since
        sources = [each for each in spans if each is not None]
        start, length = length + len(lead), length + len(text)
        yield Piece(text=text, annotations=tuple(_annotations(sources, locations, start, length)))


def _layout_between(answer: str, start: int, end: int) -> str:
    """Return what stands between two sentences: spaces, breaks, marks of lists; words of any kind are none."""
    gap = answer[start:end]
    return gap if not any(map(str.isalnum, gap)) else " " if start else ""  # words between them were not judged


def _annotations(sources: Sequence[SourceCitation], locations: Locations, start: int, end: int) -> Iterator[Annotation]:
    """Yield each row that a stretch rests on once; what was found nowhere but here is called by its own words."""
    for row_id, source in {each.source_id: each for each in reversed(sources)}.items():  # the first one stays
        at = locations.notes.get(row_id)
        title = printable(at.label) if at else truncate(quoted_spans((source,))[0], _TITLE_CHARS)
        yield Annotation(start=start, end=end, url=locations.url(source), title=title, source_id=row_id)


def _refusal_notes(exchange: DialogueExchange) -> Sequence[str]:
    """Return why there is no answer, and what to do about it.

    What was found wrong with a model's draft is told with numbers and names of that draft ("the sources do not give
    411"): they are as unproven as the rest of it, so only the advice is told here.
    """
    was_judged = bool(exchange.sentences or exchange.rejected_citations)
    # Rules wrote the notes, nothing was drafted, or the model's own refusal is told.
    if exchange.provider == EXTRACTIVE_PROVIDER or not was_judged or exchange.reason is RefusalReason.MODEL_REFUSED:
        return notes_of(exchange)
    is_few = exchange.reason is RefusalReason.TOO_FEW_SOURCES
    return tuple(filter(None, (ADD_A_SOURCE if is_few else advice_of(exchange.reason),)))  # some reasons have none


def _refusal_pieces(exchange: DialogueExchange, locations: Locations) -> tuple[Piece, ...]:
    """Return why there is no answer, and the closest passages, each with its source."""
    notes = [f"{quoted(note)}." for note in _refusal_notes(exchange)]
    sentences = [opening_of(exchange.reason), *(f"{note[:1].upper()}{note[1:]}" for note in notes)]
    reasons = inert_markdown(" ".join(sentences))
    passages = closest_passages(exchange, {row_id: at.label for row_id, at in locations.notes.items()})
    pieces = [Piece(text=reasons)]
    if passages:
        pieces.append(Piece(text=f"{_BLANK_LINE}{CLOSEST}:\n"))
    length = sum(len(piece.text) for piece in pieces)  # offsets count what came before
    for passage in passages:
        lead, words = "\n- ", inert_markdown(" … ".join(quoted_spans(passage)))
        start, length = length + len(lead), length + len(lead) + len(words)
        sources = tuple(_annotations(passage, locations, start, length))
        pieces.append(Piece(text=f"{lead}{words}", annotations=sources))
    return tuple(pieces)


SINCE: Final = 1_767_225_600
"""Since when the models are there, as their list has to say: the first day of 2026."""
NOTHING_USED: Final[Mapping[str, int]] = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
_OWNER: Final = "voice"


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletionObjects:
    """What every object of one completion has in common."""

    id: str
    created: int
    model: str
    with_usage: bool

    def completion(
        self, pieces: Sequence[Piece], usage: Mapping[str, int] | None, voice: Mapping[str, object] | None
    ) -> Mapping[str, object]:
        """Return a completion in one object."""
        message = {
            "role": "assistant",
            "content": "".join(piece.text for piece in pieces),
            "refusal": None,
            "annotations": [each.to_json() for piece in pieces for each in piece.annotations],
        }
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}  # a refusal ends as well
        beside = {"voice": voice} if voice else {}
        return self._object("chat.completion", [choice], **beside, usage=usage)

    def first_chunk(self) -> Mapping[str, object]:
        """Return the first chunk: who speaks, and nothing of what is said."""
        return self._chunk({"role": "assistant", "content": ""})  # the role comes once, first

    def said(self, piece: Piece) -> Mapping[str, object]:
        """Return a chunk of the content, with its sources."""
        sources = {"annotations": [each.to_json() for each in piece.annotations]} if piece.annotations else {}
        return self._chunk({"content": piece.text, **sources})

    def last_chunks(
        self, usage: Mapping[str, int] | None, voice: Mapping[str, object] | None
    ) -> Iterator[Mapping[str, object]]:
        """Yield the chunk that ends the content and, where it is asked for, one with what was used."""
        yield {**self._chunk({}, finish="stop"), **({"voice": voice} if voice else {})}
        if self.with_usage:
            yield self._object("chat.completion.chunk", [], usage=usage)  # no choices, as OpenAI sends it

    def _chunk(self, delta: Mapping[str, object], *, finish: str | None = None) -> Mapping[str, object]:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        # With usage, every chunk but the last says null, as OpenAI's do.
        return self._object("chat.completion.chunk", [choice], **({"usage": None} if self.with_usage else {}))

    def _object(self, kind: str, choices: list[object], **more: object) -> Mapping[str, object]:
        head = {"id": self.id, "object": kind, "created": self.created, "model": self.model}
        return {**head, "choices": choices, **more}


def model_json(name: str) -> Mapping[str, object]:
    """Return a model as it stands in the list of them."""
    return {"id": name, "object": "model", "created": SINCE, "owned_by": _OWNER}


def models_json() -> Mapping[str, object]:
    """Return the list of models."""
    return {"object": "list", "data": [model_json(name) for name in MODELS]}
