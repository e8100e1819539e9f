"""Check any answer against given facts, claim by claim, without a memory; parse answers and facts of other systems.

Law: same rules and verifier as in a turn. A sentence without citations is checked against everything the others cite,
or against all facts if none cites. A citation of an unknown fact is invented, and nothing lifts that. Parsing is
lenient about form, never about meaning: text that starts as JSON must be complete JSON. Unknown members are ignored.
Messages give the position of an error and never repeat the text.
Source: DESIGN 6 "The judge is a product of its own".
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time

import regex

from voice.core.errors import InvalidParams
from voice.core.grounding.citations import markers_in
from voice.core.grounding.claim_verification import JudgedSentence, judged_sentences
from voice.core.grounding.draft import MAX_ANSWER_CHARS, DraftFault, is_list, is_object, parse_draft
from voice.core.grounding.judge import WeightedClaim, coverage_of
from voice.core.grounding.proof import Proof, ProofContext, prove
from voice.core.grounding.refusal_reasons import reasons_of
from voice.core.grounding.values import Draft, DraftSentence, DraftSource, Evidence, Rung, SentenceKind
from voice.core.grounding.verifier_values import VerificationReply
from voice.core.messages import asking as messages
from voice.core.records import TrustTier
from voice.core.text.instants import UNDATED
from voice.core.text.lazy import late_pattern
from voice.core.text.normalise import content_hash
from voice.core.text.sentences import sentence_spans

MAX_FACTS = 500
MAX_FACT_CHARS = 1_000_000
MAX_COMPARED = 10_000_000
"""Sentences of the answer × characters of the facts; about ten seconds on one core."""
_PROVEN_OR_NOTHING = frozenset({"quoted", "verified", "remark"})  # a remark states nothing that could fail
# A citation in other systems' notation: `[1]`, `[[1]]`, `[^1]`, `【1】`, and ours in round brackets. "(1)" is none.
_BRACKET = late_pattern(
    r"\[{1,2}\^?([^\[\]\n]{1,200})\]{1,2}|【([^【】\n]{1,200})】|\(\s*(S[0-9]{1,6}+(?:\s*+[,;&]\s*+S[0-9]{1,6}+)*+)\s*\)"
)
_BETWEEN = late_pattern(r"(?:(?<!\s)\s++)?[,;&]\s*+")  # the look-behind keeps long runs of blanks linear
_PLACE = late_pattern(r"[Ss]?0*([0-9]{1,3})")  # a fact's position: `1`, `01` or `S1`; `MAX_FACTS` has three digits
_NOBODY = "S999999"  # an alias that no fact has, so a citation of it counts as invented
_UNKNOWN = messages.CITES_NO_FACT


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One text that an answer may cite."""

    text: str = field(repr=False)
    id: str
    told_on: date | None = None
    speaker: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class FactSpan:
    """Whole sentences of a fact that support a claim; half-open code-point offsets into its text."""

    source_id: str
    start: int
    end: int
    span: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingPart:
    """A part of a claim that no fact supports; half-open code-point offsets into the claim."""

    start: int
    end: int
    text: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedClaim:
    """One sentence of the answer with its proof."""

    text: str = field(repr=False)
    kind: SentenceKind
    rung: Rung
    score: float
    """Dissimilarity to the facts, 0 (verbatim) to 1; for ranking only, not proof."""
    citations: tuple[FactSpan, ...]
    missing: tuple[MissingPart, ...]
    reasons: tuple[str, ...]
    verifier: str | None

    @property
    def is_proven(self) -> bool:
        """Whether it is proven or states nothing."""
        return self.rung in _PROVEN_OR_NOTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckReport:
    """Result of checking an answer."""

    claims: tuple[CheckedClaim, ...]
    coverage: float
    """Share of the claims' content words that are in proven claims, 0-1."""
    invented: tuple[str, ...]
    """Reasons why citations were rejected as invented."""
    answers_question: bool | None

    @property
    def is_proven(self) -> bool:
        """Whether every claim is proven and no citation is invented."""
        return not self.invented and all(one.is_proven for one in self.claims)


def prove_text(answer: str | Draft, facts: Sequence[Fact], *, question: str = "", now: datetime | None = None) -> Proof:
    """Prove a text, or a draft whose sources name facts by id, by rules alone; the words of `question` need no proof.

    Raises InvalidParams: nothing to check, too many facts, texts too long, or a duplicate id.
    """
    named = _Named.of(facts)
    draft = _from_text(answer, named) if isinstance(answer, str) else _from_draft(answer, named)
    sentences = sum(1 for piece in draft.sentences for _ in sentence_spans(piece.text))
    if sentences * sum(len(fact.text) for fact in facts) > MAX_COMPARED:
        raise InvalidParams(messages.too_much_to_check(sentences))
    proof = prove(draft, tuple(named.rows.values()), ProofContext(question=question, now=now))
    if not proof.sentences:
        raise InvalidParams(messages.NOTHING_TO_CHECK)
    return proof


def check_report(
    proof: Proof, facts: Sequence[Fact], reply: VerificationReply | None = None, verifier: str | None = None
) -> CheckReport:
    """Return the report on an answer that `prove_text` proved with the same facts; without `reply` it is unverified."""
    judged = judged_sentences(proof, reply, verifier)
    ids = {f"S{at}": fact.id for at, fact in enumerate(facts, 1)}
    rejected = dict.fromkeys(
        _UNKNOWN if span.status == "unknown_source" else span.reason or _UNKNOWN for span in proof.citations.fabricated
    )
    claims = [WeightedClaim(one.sentence.text, one.weight, one.is_proven) for one in judged]
    return CheckReport(
        claims=tuple(_claim(one, ids) for one in judged),
        coverage=round(coverage_of(claims), 4),
        invented=tuple(rejected),
        answers_question=reply.answers_question if reply else None,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Named:
    """The facts as evidence rows under prompt aliases."""

    rows: Mapping[str, Evidence]  # by fact id, in order
    by_place: tuple[Evidence, ...]  # by position; empty if any fact id looks like a position
    brackets: frozenset[str]  # brackets in the facts themselves that look like citations

    @classmethod
    def of(cls, facts: Sequence[Fact]) -> "_Named":
        """Build the lookup. Raises InvalidParams: no facts, too many, too long, or a duplicate id."""
        if not facts:
            raise InvalidParams(messages.FACTS_MISSING)
        if len(facts) > MAX_FACTS:
            raise InvalidParams(messages.too_many_facts(len(facts), MAX_FACTS))
        if sum(len(fact.text) for fact in facts) > MAX_FACT_CHARS:
            raise InvalidParams(messages.facts_too_long(MAX_FACT_CHARS))
        rows = {fact.id: _row(at, fact) for at, fact in enumerate(facts, 1)}
        if len(rows) < len(facts):
            raise InvalidParams(messages.FACT_ID_TWICE)
        # With ids such as "2" a number is a name: the second fact may be called "1".
        is_numbered = any(_PLACE.fullmatch(fact.id) for fact in facts)
        return cls(
            rows=rows,
            by_place=() if is_numbered else tuple(rows.values()),
            brackets=frozenset(found[0] for fact in facts for found in _BRACKET.finditer(fact.text)),
        )

    def alias(self, source_id: str) -> str | None:
        """Return the alias of a fact, or None; `1` and `S1` mean a position only if no id is a number."""
        if (row := self.rows.get(source_id)) is not None:
            return row.alias
        place = _PLACE.fullmatch(source_id)
        if place is None:
            return None
        if (row := self.rows.get(place[1]) or self.rows.get(f"S{place[1]}")) is not None:
            return row.alias
        at = int(place[1])
        return self.by_place[at - 1].alias if 0 < at <= len(self.by_place) else None

    def marker(self, bracket: "regex.Match[str]") -> str:
        """Return a bracket as our own marker, or unchanged if it is not a citation."""
        inside = next(filter(None, bracket.groups())).strip()
        if (row := self.rows.get(inside)) is not None:
            return f"[{row.alias}]"
        found = {part: self.alias(part) for part in _BETWEEN.split(inside)}
        # "[see note]" is text; "[7]" is a citation also where there are five facts.
        cites = all(alias or _PLACE.fullmatch(part) for part, alias in found.items())
        # A bracket that a fact holds itself ("as in [12]") may be a quotation of it.
        if not cites or (not any(found.values()) and bracket[0] in self.brackets):
            return bracket[0]
        return f"[{', '.join(alias or _NOBODY for alias in found.values())}]"


def _row(at: int, fact: Fact) -> Evidence:
    return Evidence(
        alias=f"S{at}",
        row_id=fact.id,
        source_type="kg_observation",
        text=fact.text,
        shown=fact.text,
        content_hash=content_hash(fact.text),
        trust=TrustTier.GREEN,
        created_at=datetime.combine(fact.told_on, time(), UTC) if fact.told_on else UNDATED,
        speaker=fact.speaker,
    )


def _from_text(answer: str, named: _Named) -> Draft:
    if len(answer) > MAX_ANSWER_CHARS:
        raise InvalidParams(messages.answer_too_long(MAX_ANSWER_CHARS))
    text = _BRACKET.sub(named.marker, answer)
    rows = () if markers_in(text) else named.rows.values()  # a text without any citation is checked against all
    every = tuple(DraftSource(source_id=row.alias, span="") for row in rows)
    return Draft(sentences=(DraftSentence(text=text, sources=every),))


def _from_draft(draft: Draft, named: _Named) -> Draft:
    if sum(len(sentence.text) for sentence in draft.sentences) > MAX_ANSWER_CHARS:
        raise InvalidParams(messages.answer_too_long(MAX_ANSWER_CHARS))
    return replace(draft, sentences=tuple(_renamed(sentence, named) for sentence in draft.sentences))


def _renamed(sentence: DraftSentence, named: _Named) -> DraftSentence:
    sources = tuple(
        replace(source, source_id=named.alias(source.source_id.strip()) or _NOBODY) for source in sentence.sources
    )
    return replace(sentence, text=_BRACKET.sub(named.marker, sentence.text), sources=sources)


def _claim(one: JudgedSentence, ids: Mapping[str, str]) -> CheckedClaim:
    sentence = one.sentence
    return CheckedClaim(
        text=sentence.text,
        kind=sentence.kind,
        rung=one.decided.rung,
        score=sentence.score,
        citations=tuple(
            FactSpan(source_id=ids[row.alias], start=start, end=end, span=row.text[start:end])
            for row, start, end in dict.fromkeys(one.decided.grounds if one.is_proven else ())
        ),
        missing=tuple(
            MissingPart(start=doubt.start, end=doubt.end, text=sentence.text[doubt.start : doubt.end])
            for doubt in (() if one.is_proven else sentence.doubts)
        ),
        reasons=reasons_of(one.decided, sentence, default=messages.FACTS_UNCHECKED),
        verifier=one.verifier,
    )


_SURROGATES = re.compile("[\ud800-\udfff]")  # JSON may hold half of a pair ("\ud83d")
_PARAGRAPHS = re.compile(r"\n[^\S\n]*\n\s*")
_JSON_LIST = re.compile(r'\[\s*(?:["{\]]|$)')  # `["…`, `[{`, `[]`, not the text "[1] She sold it."
_OUR_DRAFT = re.compile(r'\{\s*"(?:sentences|answer|sources|refused|notes)"\s*:')
_DAY = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[T ].*)?", re.DOTALL)


def parse_facts(text: str) -> tuple[Fact, ...]:
    """Parse facts: a JSON list of texts or objects, JSON Lines, or plain text with one fact per paragraph.

    Raises InvalidParams: broken JSON, or an entry is not a fact.
    """
    body = text.removeprefix("\ufeff").strip()
    if _JSON_LIST.match(body):
        found = _decoded(body, messages.FACTS_CUT_OFF)
        return facts_of(found if is_list(found) else [found])
    if body.startswith("{") or (body.startswith('"') and _is_json(body.split("\n", 1)[0])):
        # Not `splitlines`: JSON's texts may hold U+2028 as it is.
        lines = [(at, line) for at, line in enumerate(body.split("\n"), 1) if line.strip()]
        if len(lines) > 1 and not _is_json(lines[0][1]):  # one object over several lines
            return facts_of([_decoded(body, messages.FACTS_SHAPE)])
        return facts_of([_decoded(line, messages.fact_line_not_json(at)) for at, line in lines])
    return facts_of([each for each in _PARAGRAPHS.split(body) if each])


def facts_of(values: Sequence[object]) -> tuple[Fact, ...]:
    """Convert `Fact`s, texts, or objects with `text` and optionally `id`, `date` and `speaker` to facts.

    Without an id they are numbered from 1. Raises InvalidParams: a value is not a fact.
    """
    return tuple(value if isinstance(value, Fact) else _fact(value, at) for at, value in enumerate(values, 1))


def parse_answer(text: str) -> str | Draft:
    """Parse plain text, or a draft in our wire JSON. Raises InvalidParams: unreadable JSON, or a refusal."""
    body = text.removeprefix("\ufeff").strip()
    if not _OUR_DRAFT.match(body):
        return _legible(body)
    draft = parse_draft(body)
    if isinstance(draft, DraftFault):
        raise InvalidParams(messages.answer_unreadable(draft.message))
    if draft.refused:
        raise InvalidParams(messages.REFUSAL_TO_CHECK)
    return draft


def _fact(value: object, at: int) -> Fact:
    if isinstance(value, str):
        return Fact(text=_legible(value), id=f"{at}")
    if not is_object(value):
        raise InvalidParams(messages.fact_shape(at))
    text = _text(value, "text", at)
    if text is None:
        raise InvalidParams(messages.fact_without_text(at))
    told_on, named = _text(value, "date", at), value.get("id")
    # `true` is an int in Python, and no id.
    source_id = f"{named}" if isinstance(named, int) and not isinstance(named, bool) else _text(value, "id", at)
    return Fact(
        text=text,
        id=source_id.strip() if source_id and source_id.strip() else f"{at}",
        told_on=None if told_on is None else _day(told_on, at),
        speaker=_text(value, "speaker", at),
    )


def _text(fields: Mapping[str, object], name: str, at: int) -> str | None:
    value = fields.get(name)
    if value is not None and not isinstance(value, str):
        raise InvalidParams(messages.fact_field_shape(name, at))
    return None if value is None else _legible(value)


def _day(text: str, at: int) -> date:
    written = _DAY.fullmatch(text.strip())
    try:
        return date.fromisoformat(written[1] if written else text)
    except ValueError:
        raise InvalidParams(messages.fact_date_shape(at)) from None


def _legible(text: str) -> str:
    """Replace lone surrogates one for one, so that offsets hold; they cannot be printed."""
    return text if text.isascii() else _SURROGATES.sub("\ufffd", text)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):  # "[[[[…" exhausts the stack
        return False
    return True


def _decoded(text: str, wrong: str) -> object:
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidParams(wrong) from None
    return value
