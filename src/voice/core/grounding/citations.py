"""Which of a draft's citations are real.

Law: a citation names an alias of this prompt and its span stands in that row, or it is refused; a row of the store that
was not sent is as unknown as an invented one. The same place cited twice is one citation. A span too poor to support
anything (a stop word, two characters) is no citation, but no lie either; nor is a span whose row is cited for it, too,
under its own id.

Source: DESIGN 6 stages 1 and 2; rulings A3, C13, D1, D4.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import regex

from voice.core.grounding.values import Draft, DraftSource, Evidence, LocatedSpan
from voice.core.text.comparable import comparable
from voice.core.text.patterns import late_pattern
from voice.core.text.spans import locate
from voice.core.text.words import content_words

_ALIAS = late_pattern(r"[\[(]?\s*([A-Za-z][0-9]{1,6})\s*[\])]?")
_INLINE = late_pattern(r"\s?[\[(]\s*(S[0-9]{1,6}(?:\s*[,;&]\s*S[0-9]{1,6})*)\s*[\])]")
_BRACKETED = late_pattern(r"[\[({【〔［（｛⟦⟨〈]([^\[\](){}【】〔〕［］（）｛｝]{1,40})[\])}】〕］）｝⟧⟩〉]")
_LIKE_A_MARKER = late_pattern(r"\s*s\s?\p{Nd}{1,6}(?:(?:\s*(?:[,;&/-]|and|to)\s*|\s+)s?\s?\p{Nd}{1,6})*\s*")
_LIKE_S = str.maketrans("ѕꮪꜱտ", "ssss")
_SHOWN_LEAD = late_pattern(r"^\s*(?:\[[^\]]{1,40}\]\s*)?(?:[^:\n]{1,40}:\s+)?")
_MIN_CONTENT = 3
_FABRICATED = frozenset({"fabricated_span", "unknown_source"})


class Citations(NamedTuple):
    """A draft's citations, sorted out."""

    accepted: tuple[LocatedSpan, ...]
    """Distinct, in the order they were cited."""
    rejected: tuple[LocatedSpan, ...]

    @property
    def fabricated(self) -> tuple[LocatedSpan, ...]:
        """The rejected ones that name a row or a span that does not exist."""
        return tuple(span for span in self.rejected if span.status in _FABRICATED)

    def spans_of(self, alias: str) -> list[tuple[int, int]]:
        """Return the accepted spans of one row."""
        return [(span.start, span.end) for span in self.accepted if span.alias == alias]


def check_citations(draft: Draft, evidence: Mapping[str, Evidence]) -> Citations:
    """Return the draft's citations, each located in its row or refused with a reason.

    Args:
        draft: the model's parsed words.
        evidence: the rows of this prompt by alias.
    """
    located = _twins_told([(source, _locate(source, evidence)) for source in draft.sources])
    located.extend(_unknown_inline(draft.answer, evidence))
    accepted = dict.fromkeys(span for span in located if span.accepted)
    rejected = dict.fromkeys(span for span in located if not span.accepted)
    return Citations(tuple(accepted), tuple(rejected))


def without_markers(text: str, aliases: Sequence[str]) -> str:
    """Return `text` with inline markers like `[S1]` blanked out, so that offsets stay."""
    known = frozenset(aliases)

    def blank(match: "regex.Match[str]") -> str:
        named = regex.findall(r"S\d+", match.group(1))
        return " " * len(match.group()) if known.issuperset(named) else match.group()

    return _INLINE.sub(blank, text)


def alias_of(source_id: str) -> str:
    """Return the alias that a model's `source_id` means: brackets, case and spaces do not matter.

    Letters and digits do: a full-width or a Cyrillic S, a zero before the number or an invisible joiner, which stands
    in what a memory says about an id (`neutralise`), make it another id.
    """
    match = _ALIAS.fullmatch(source_id.strip())
    return match.group(1).upper() if match else source_id


def row_named(source_id: str, evidence: Mapping[str, Evidence]) -> Evidence | None:
    """Return the row of this prompt that a model's `source_id` names; None where there is none.

    Args:
        source_id: as it was parsed.
        evidence: the rows of this prompt by alias.
    """
    return evidence.get(source_id) or evidence.get(alias_of(source_id))


def _locate(source: DraftSource, evidence: Mapping[str, Evidence]) -> LocatedSpan:
    row = row_named(source.source_id, evidence)
    if row is None:
        reason = "the answer cites a source that was not in this prompt"
        return LocatedSpan(alias="", status="unknown_source", reason=reason)
    found = locate(source.span, row.text)
    if found.status is None and (lead := _SHOWN_LEAD.match(source.span)) and lead.end():
        found = locate(source.span[lead.end() :], row.text)
    if found.status is None:
        if len(content_words(source.span)) == 0:
            return LocatedSpan(alias=row.alias, status="uninformative_span", reason=_UNINFORMATIVE)
        return LocatedSpan(alias=row.alias, status="fabricated_span", reason=found.reason)
    if not is_informative(row.text, found.start, found.end):
        return LocatedSpan(alias=row.alias, status="uninformative_span", reason=_UNINFORMATIVE)
    return LocatedSpan(alias=row.alias, status=found.status, start=found.start, end=found.end)


def _twins_told(located: Sequence[tuple[DraftSource, LocatedSpan]]) -> list[LocatedSpan]:
    """Return the citations; one whose very quotation is cited from the row it stands in as well is no lie.

    It names the wrong one of two rows of this prompt beside the right one; it supports nothing and is no source.
    """
    real = {comparable(source.span).text for source, span in located if span.accepted}
    return [
        replace(span, status="uninformative_span", reason=_ELSEWHERE)
        if span.status == "fabricated_span" and comparable(source.span).text in real
        else span
        for source, span in located
    ]


_ELSEWHERE = "the quotation stands in another source, which is cited for it, too, and not in this one"
_UNINFORMATIVE = "the quotation is too short to support anything"


def is_informative(text: str, start: int, end: int) -> bool:
    """Return whether a span says enough: three content words, or two with a name or number, or the whole row.

    Args:
        text: the row.
        start: where the span begins in it.
        end: where it ends.
    """
    content = content_words(text[start:end])
    distinct = {word.stem for word in content}
    if not distinct or end - start < _MIN_CONTENT:
        return False
    if len(distinct) >= _MIN_CONTENT or not text[:start].strip(_EDGE) + text[end:].strip(_EDGE):
        return True
    return len(distinct) == 2 and any(word.is_number or (word.is_capital and word.start > 0) for word in content)


_EDGE = " \t\r\n\"'.,;:!?()[]{}*_`~-–—…"


def _unknown_inline(answer: str, evidence: Mapping[str, Evidence]) -> list[LocatedSpan]:
    """Return a refusal for each inline marker in the answer that names no row of this prompt, or only looks real."""
    named = [alias for match in _INLINE.finditer(answer) for alias in regex.findall(r"S[0-9]+", match.group(1))]
    posing = [match.group() for match in _BRACKETED.finditer(answer) if _only_looks_real(match)]
    unknown = len(posing) + sum(alias not in evidence for alias in named)
    reason = "the answer marks a sentence with a source that was not in this prompt"
    return [LocatedSpan(alias="", status="unknown_source", reason=reason)] * unknown


def _only_looks_real(match: "regex.Match[str]") -> bool:
    """Return whether a bracket would be read as a marker by a person and is none of ours."""
    shape = comparable(match.group(1)).text.translate(_LIKE_S)
    return _INLINE.fullmatch(match.group()) is None and _LIKE_A_MARKER.fullmatch(shape) is not None
