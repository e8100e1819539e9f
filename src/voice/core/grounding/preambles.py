"""The words of a sentence that only say where it comes from, or that answer before it states: they are no claim.

Law: "According to your notes, …", "…, as far as I can tell from your notes" and "According to S1, …" speak of the
memory itself, in words of a closed list; what is left is the statement, and it alone is compared. Whatever stands
beside them ("your notes from Berlin") remains part of it, and somebody else's word ("according to your mother") is no
frame at all. An opening "No, …" denies the question, not the statement behind it (`denials` asks whether it may).

Source: DESIGN 6 stages 3 and 4; ruling D1.
"""

from collections.abc import Collection, Sequence

import regex

from voice.core.text.patterns import late_pattern
from voice.core.text.words import Word

_OF_ANSWERS = r"(?:provided|given|available|retrieved|supplied|stored|saved|cited|own|above|relevant)"
_MEMORY = (
    rf"(?:(?:the|your|my|these|those|this|all)\s+)?(?:{_OF_ANSWERS}\s+)*"
    r"(?:sources?|memor(?:y|ies)|notes?|information|evidence|context|entr(?:y|ies)|records?|diary|journal"
    rf"|knowledge(?:\s+(?:base|graph))?)(?:\s+{_OF_ANSWERS})?(?:\s+(?P<named>S\d+))?"
)
_NOTIZEN = (
    r"(?:(?:deine[nrm]?|Ihre[nrm]?|den|der|die)\s+)?(?:Notiz(?:en)?|Quellen?|Erinnerung(?:en)?|Aufzeichnung(?:en)?"
    r"|Tagebuch)"
)
_BY = (
    r"(?:according\s+to|based\s+on|going\s+by|judging\s+(?:by|from)|as\s+per"
    r"|as\s+far\s+as\s+(?:I|we)\s+can\s+(?:tell|see)\s+from|from\s+what\s+I\s+can\s+(?:tell|see)\s+in)"
)
_FRAMED = (
    rf"(?:{_BY}\s+(?:{_MEMORY}|(?P<alias>S\d+))|(?:laut|gemäß|nach)\s+{_NOTIZEN}"
    r"|según\s+(?:tus|las|sus)\s+(?:notas|fuentes|recuerdos))(?!\w)"
)
_FRAME = late_pattern(
    rf"(?:(?:^|[,(–—])\W*(?:so|and|but|well|yes|no)?\W*){_FRAMED}|{_FRAMED}(?=\W*$)", regex.IGNORECASE
)
_NO = late_pattern(
    r"^\W*(?:(?:oh|well|so|sorry|actually|unfortunately|ach|na)\b[\s,]+)*(?P<no>no|nope|nein|nee|όχι|non|não)"
    r"\s*[,;:–—-]\s*(?=\w)",
    regex.IGNORECASE,
)


def stated(text: str, found: Sequence[Word], aliases: Collection[str]) -> list[Word]:
    """Return the words of a sentence without those that only frame it.

    Args:
        text: the sentence.
        found: its words.
        aliases: of the rows it is held against; "according to S9" frames nothing where no S9 was cited.
    """
    spans = [match.span() for match in _FRAME.finditer(text) if _is_known(match, aliases)]
    if (no := _NO.match(text)) is not None:
        spans.append(no.span("no"))
    if not spans:
        return list(found)
    return [word for word in found if not any(start <= word.start < end for start, end in spans)]


def opens_with_no(text: str) -> bool:
    """Return whether a sentence denies the question before it states something: "No, you sold it."."""
    return _NO.match(text) is not None


def _is_known(match: "regex.Match[str]", aliases: Collection[str]) -> bool:
    return all(alias is None or alias.upper() in aliases for alias in match.group("named", "alias"))
