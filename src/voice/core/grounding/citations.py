"""Check which citations of a draft are real.

Law: a citation names an alias of this prompt and its span stands in that row, or it is invented; a row of the store
that was not sent is as unknown as one that never was. The same place cited twice is one citation. A span without a
telling word is no citation, but no lie either. Nothing lifts an invented citation.

Source: DESIGN 6 "Provenance is absolute"; rulings A3, C13, D1, D4.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import regex

from voice.core.grounding.values import DraftSource, Evidence, LocatedSpan
from voice.core.messages import asking as messages
from voice.core.text.lazy import late_pattern
from voice.core.text.normalise import comparable_text
from voice.core.text.spans import locate
from voice.core.text.words import content_words

_ALIAS = late_pattern(r"[\[(]?\s*([A-Za-z][0-9]{1,6})\s*[\])]?")
_INLINE = late_pattern(r"\s?[\[(]\s*+(S[0-9]{1,6}+(?:\s*+[,;&]\s*+S[0-9]{1,6}+)*+)\s*+[\])]")
_BROKEN_OFF = late_pattern(r"(?:[\[(]\s*+)++(?:(?=S[0-9]{1,6}+(?:\s*+[,;&]\s*+S[0-9]{1,6}+)*+\s*+\Z)|(*SKIP)(*FAIL))")
"""The brackets of a marker that the text breaks off in: the bracket of a mark around the sentence would close it."""
_BRACKETED = late_pattern(r"[\[({【〔［（｛⟦⟨〈]([^\[\](){}【】〔〕［］（）｛｝]{1,40})[\])}】〕］）｝⟧⟩〉]")
_LIKE_A_MARKER = late_pattern(r"\s*+s\s?\p{Nd}{1,6}+(?:(?:\s*+(?:[,;&/-]|and|to)\s*+|\s++)(?:s\s?)?\p{Nd}{1,6}+)*+\s*+")
_LIKE_S = str.maketrans("ѕꮪꜱտ", "ssss")
_SHOWN_LEAD = late_pattern(r"^\s*(?:\[[^\]]{1,40}\]\s*)?(?:[^:\n]{1,40}:\s+)?")
_FABRICATED = frozenset({"fabricated_span", "unknown_source"})


class Citations(NamedTuple):
    """What one sentence cites, sorted out."""

    accepted: tuple[LocatedSpan, ...]
    """Distinct, in the order they were cited."""
    rejected: tuple[LocatedSpan, ...]

    @property
    def fabricated(self) -> tuple[LocatedSpan, ...]:
        """The rejected ones that name a row or a span that does not exist."""
        return tuple(span for span in self.rejected if span.status in _FABRICATED)


def check_citations(sources: Sequence[DraftSource], text: str, evidence: Mapping[str, Evidence]) -> Citations:
    """Return the citations of a sentence, each located in its row or refused with a reason.

    Args:
        sources: as the model gave them; one without a span cites the whole row.
        text: the sentence; a marker in it that names no row of this prompt is an invented citation.
        evidence: the rows of this prompt by alias.
    """
    located = [_locate(source, evidence) for source in sources]
    located.extend(_unknown_inline(text, evidence))
    accepted = dict.fromkeys(span for span in located if span.accepted)
    rejected = dict.fromkeys(span for span in located if not span.accepted)
    return Citations(tuple(accepted), tuple(rejected))


def markers_in(text: str) -> tuple[str, ...]:
    """Return the ids that inline markers like `[S1]` or `[S2, S3]` of `text` name, in order, each once."""
    found = (alias for match in _INLINE.finditer(text) for alias in regex.findall(r"S[0-9]+", match.group(1)))
    return tuple(dict.fromkeys(found))


def leading_markers(text: str) -> int:
    """Return how many characters of `text` are inline markers at its beginning."""
    end = 0
    while found := _INLINE.match(text, end):
        end = found.end()
    return end


def without_markers(text: str) -> str:
    """Return `text` without inline markers like `[S1]`: they are citations, and no words."""
    return _BROKEN_OFF.sub("", _INLINE.sub("", text))


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
        reason = messages.CITES_UNSEEN
        return LocatedSpan(alias="", status="unknown_source", reason=reason)
    if not source.span.strip():
        return LocatedSpan(alias=row.alias, status="exact", start=0, end=len(row.text))
    found = locate(source.span, row.text)
    if found.status is None and (lead := _SHOWN_LEAD.match(source.span)) and lead.end():
        found = locate(source.span[lead.end() :], row.text)
    if found.status is None:
        if not content_words(source.span):
            return LocatedSpan(alias=row.alias, status="uninformative_span", reason=messages.QUOTATION_TOO_SHORT)
        return LocatedSpan(alias=row.alias, status="fabricated_span", reason=found.reason)
    if not content_words(row.text[found.start : found.end]) and found.end - found.start < len(row.text.strip()):
        return LocatedSpan(alias=row.alias, status="uninformative_span", reason=messages.QUOTATION_TOO_SHORT)
    return LocatedSpan(alias=row.alias, status=found.status, start=found.start, end=found.end)


def _unknown_inline(answer: str, evidence: Mapping[str, Evidence]) -> list[LocatedSpan]:
    """Return a refusal for each inline marker in the answer that names no row of this prompt, or only looks real."""
    named = markers_in(answer)
    posing = [match.group() for match in _BRACKETED.finditer(answer) if _only_looks_real(match)]
    unknown = len(posing) + sum(alias not in evidence for alias in named)
    reason = messages.MARKS_UNSEEN
    return [LocatedSpan(alias="", status="unknown_source", reason=reason)] * unknown


def _only_looks_real(match: "regex.Match[str]") -> bool:
    """Return whether a bracket would be read as a marker by a person and is none of ours."""
    shape = comparable_text(match.group(1)).text.translate(_LIKE_S)
    return _INLINE.fullmatch(match.group()) is None and _LIKE_A_MARKER.fullmatch(shape) is not None
