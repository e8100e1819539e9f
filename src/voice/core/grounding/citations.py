"""Check which citations of a draft are real.

Law: a citation names an alias of this prompt and its span occurs in that row, or it is invented; nothing lifts an
invented citation. A span without a content word is rejected but not invented. Duplicates count once.
Source: DESIGN 6 "Provenance is absolute"; rulings A3, C13, D1, D4.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import regex

from voice.core.grounding.values import DraftSource, Evidence, LocatedSpan
from voice.core.messages import asking as messages
from voice.core.text.lazy import late_pattern
from voice.core.text.normalise import WORD_JOINER, comparable_text, strip_invisible
from voice.core.text.spans import locate
from voice.core.text.words import content_words

_ALIAS = late_pattern(r"[\[(]?\s*([A-Za-z][0-9]{1,6})\s*[\])]?")  # "S1", "[s1]", "( S1 )"
_IDS = r"[\[(]\s*+(S[0-9]{1,6}+(?:\s*+[,;&]\s*+S[0-9]{1,6}+)*+)\s*+[\])]"
_INLINE = late_pattern(rf"\s?{_IDS}")  # "[S1]", "(S2, S3)"
_INDEX = late_pattern(rf"(?<=[A-Z0-9_]){_IDS}", regex.IGNORECASE)  # of code in a note: "arr[s1]", "f(s1, s2)"
_INDEXED = late_pattern(rf"(?<!\w)\w++{_IDS}", regex.IGNORECASE)  # with the name before it
# An unclosed marker at the end of a text; the bracket of a warning mark would close it.
_BROKEN_OFF = late_pattern(r"(?:[\[(]\s*+)++(?:(?=S[0-9]{1,6}+(?:\s*+[,;&]\s*+S[0-9]{1,6}+)*+\s*+\Z)|(*SKIP)(*FAIL))")
# Any bracket that a person could take for a marker; `_LIKE_A_MARKER` then reads its inside: "s 1", "S1-3".
_BRACKETED = late_pattern(r"[\[({【〔［（｛⟦⟨〈]([^\[\](){}【】〔〕［］（）｛｝]{1,40})[\])}】〕］）｝⟧⟩〉]")
_LIKE_A_MARKER = late_pattern(r"\s*+s\s?\p{Nd}{1,6}+(?:(?:\s*+(?:[,;&/-]|and|to)\s*+|\s++)(?:s\s?)?\p{Nd}{1,6}+)*+\s*+")
_LIKE_S = str.maketrans("ѕꮪꜱտ", "ssss")  # Cyrillic, Cherokee, small-capital and Armenian letters
# Invisible characters as joiners, with the id that they stand in or beside.
_HIDDEN = late_pattern(rf"{WORD_JOINER}*+[Ss](?:{WORD_JOINER}*+[0-9])++{WORD_JOINER}*+|{WORD_JOINER}++")
# What a model puts before the words, as the prompt shows date and speaker: "[2023-05-08] Bo: ".
_SHOWN_LEAD = late_pattern(r"^\s*(?:\[[^\]]{1,40}\]\s*)?(?:[^:\n]{1,40}:\s+)?")
_FABRICATED = frozenset({"fabricated_span", "unknown_source"})


class Citations(NamedTuple):
    """The citations of one sentence, accepted and rejected."""

    accepted: tuple[LocatedSpan, ...]
    """Distinct, in the order cited."""
    rejected: tuple[LocatedSpan, ...]

    @property
    def fabricated(self) -> tuple[LocatedSpan, ...]:
        """The rejected ones whose row or span does not exist."""
        return tuple(span for span in self.rejected if span.status in _FABRICATED)


def check_citations(sources: Sequence[DraftSource], text: str, evidence: Mapping[str, Evidence]) -> Citations:
    """Locate each citation of a sentence in its row, or reject it with a reason.

    Args:
        sources: as the model gave them; one without a span cites the whole row.
        text: the sentence; an inline marker that names no row of this prompt is an invented citation.
    """
    located = [_locate(source, evidence) for source in sources]
    located.extend(_unknown_inline(text, evidence))
    accepted = dict.fromkeys(span for span in located if span.accepted)
    rejected = dict.fromkeys(span for span in located if not span.accepted)
    return Citations(tuple(accepted), tuple(rejected))


def markers_in(text: str) -> tuple[str, ...]:
    """Return the distinct ids of inline markers like `[S1]` or `[S2, S3]`, in order."""
    found = (alias for match in _INLINE.finditer(text) for alias in regex.findall(r"S[0-9]+", match.group(1)))
    return tuple(dict.fromkeys(found))


def leading_markers(text: str) -> int:
    """Return the length of the inline markers at the start of `text`."""
    end = 0
    while found := _INLINE.match(text, end):
        end = found.end()
    return end


def without_markers(text: str) -> str:
    """Return `text` without inline markers."""
    return _BROKEN_OFF.sub("", _INLINE.sub("", text))


def unbracketed_markers(text: str) -> str:
    """Return `text` without the brackets of what reads as a marker and is no index: words of a note mark nothing."""

    def shown(found: "regex.Match[str]") -> str:
        return found[1] if _reads_as_marker(found) and not _INDEX.match(text, found.start()) else found[0]

    return _BRACKETED.sub(shown, text)


def words_of_note(text: str) -> str:
    """Return a note's `text` as a draft may say it: nothing in it is read as a marker, and an index is kept."""
    return _INDEX.sub(_with_joiners, unbracketed_markers(text))


def _with_joiners(index: "regex.Match[str]") -> str:
    return regex.sub("(?<=[Ss])(?=[0-9])", WORD_JOINER, index[0])


def indices_in(evidence: Iterable[Evidence]) -> frozenset[str]:
    """Return the indexed names that rows say: `arr[s1]`."""
    return frozenset(found[0] for row in evidence for found in _INDEXED.finditer(row.text))


def with_indices_of_notes(text: str, indices: frozenset[str]) -> str:
    """Return a draft's `text` with a joiner in each of `indices`, in case it was left out; they mark no source."""
    return _INDEXED.sub(lambda it: _INDEX.sub(_with_joiners, it[0]) if it[0] in indices else it[0], text)


def without_hidden(text: str) -> str:
    """Return a draft's `text` without what is not seen; an id with it is a note's, and keeps a joiner (ruling D4)."""
    return text if text.isascii() else _HIDDEN.sub(_with_one_joiner, strip_invisible(text, WORD_JOINER))


def _with_one_joiner(found: "regex.Match[str]") -> str:
    bare = found[0].replace(WORD_JOINER, "")
    return bare if bare in ("", found[0]) else bare[0] + WORD_JOINER + bare[1:]


def alias_of(source_id: str) -> str:
    """Normalise a model's `source_id` to an alias: brackets, case and spaces do not matter.

    Letters and digits do: a full-width or Cyrillic S, a leading zero or an invisible joiner (as `neutralise` inserts in
    memory text) makes another id.
    """
    match = _ALIAS.fullmatch(source_id.strip())
    return match.group(1).upper() if match else source_id


def row_named(source_id: str, evidence: Mapping[str, Evidence]) -> Evidence | None:
    """Return the row of this prompt that a `source_id` names; None if unknown."""
    return evidence.get(source_id) or evidence.get(alias_of(source_id))


def _locate(source: DraftSource, evidence: Mapping[str, Evidence]) -> LocatedSpan:
    row = row_named(source.source_id, evidence)
    if row is None:
        return LocatedSpan(alias="", status="unknown_source", reason=messages.CITES_UNSEEN)
    if not source.span.strip():  # no words to locate: the whole row
        return LocatedSpan(alias=row.alias, status="exact", end=len(row.text))
    found = locate(source.span, row.text)
    if found.status is None and (lead := _SHOWN_LEAD.match(source.span)) and lead.end():
        found = locate(source.span[lead.end() :], row.text)
    if found.status is None:
        if not content_words(source.span):  # not invented, only too short
            return LocatedSpan(alias=row.alias, status="uninformative_span", reason=messages.QUOTATION_TOO_SHORT)
        return LocatedSpan(alias=row.alias, status="fabricated_span", reason=found.reason)
    # Words such as "and then" stand in every row; a row that is no longer ("Yes.") may be cited whole.
    if not content_words(row.text[found.start : found.end]) and found.end - found.start < len(row.text.strip()):
        return LocatedSpan(alias=row.alias, status="uninformative_span", reason=messages.QUOTATION_TOO_SHORT)
    return LocatedSpan(alias=row.alias, status=found.status, start=found.start, end=found.end)


def _unknown_inline(answer: str, evidence: Mapping[str, Evidence]) -> list[LocatedSpan]:
    """Reject each inline marker that names no row of this prompt or imitates a marker."""
    named = markers_in(answer)
    bracketed = (match for match in _BRACKETED.finditer(answer) if WORD_JOINER not in match.group())
    unknown = sum(map(_only_looks_real, bracketed)) + sum(alias not in evidence for alias in named)
    reason = messages.MARKS_UNSEEN
    return [LocatedSpan(alias="", status="unknown_source", reason=reason)] * unknown


def _only_looks_real(match: "regex.Match[str]") -> bool:
    """Return whether a person would read a bracket as a marker although it is not one."""
    return _INLINE.fullmatch(match.group()) is None and _reads_as_marker(match)


def _reads_as_marker(match: "regex.Match[str]") -> bool:
    shape = comparable_text(match.group(1)).text.translate(_LIKE_S)
    return _LIKE_A_MARKER.fullmatch(shape) is not None
