"""What stands around a time and makes it something else.

Law: a refusal is data: what is said, what stands right before it, what right after it, in the same sentence. It refuses
only when all that it names is there. A language has a list of them; none knows a whole sentence.

Source: ruling E ("an unparsed phrase in a question → no window"); DESIGN 9 ("our own rules").
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import regex

from voice.core.text.patterns import late_pattern

_APOSTROPHES: Final = str.maketrans("’‘ʼ`´＇", "''''''")
_SENTENCE_END: Final = late_pattern(r"[?!;\n](?=\s|$)|(?<=\p{L}{3})\.\s")
_REACH: Final = 120
"""Characters to each side that are looked at."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """One way in which a time is no time; an empty pattern asks for nothing."""

    before: regex.Pattern[str] | None
    said: regex.Pattern[str] | None
    after: regex.Pattern[str] | None

    def holds(self, before: str, said: str, after: str) -> bool:
        """Return whether everything it names is there."""
        return (
            (self.said is None or self.said.fullmatch(said) is not None)
            and (self.after is None or self.after.match(after) is not None)
            and (self.before is None or self.before.search(before) is not None)
        )


class Refusals:
    """The refusals of one language."""

    def __init__(self, lines: Iterable[tuple[str, str, str]], names: Mapping[str, str]) -> None:
        """Compile `lines` of (before, said, after).

        Args:
            lines: patterns; `before` ends and `after` begins at the time, and `said` is the whole of it.
            names: what `<name>` in a pattern stands for.
        """
        self._refusals = tuple(
            Refusal(
                _compiled(f"(?:{before})$", names) if before else None,
                _compiled(said, names) if said else None,
                _compiled(after, names) if after else None,
            )
            for before, said, after in lines
        )

    def hold(self, text: str, start: int, end: int, *, is_possessive: bool = False) -> bool:
        """Return whether `text[start:end]` is refused for what stands around it.

        Args:
            text: the question.
            start: where the time itself begins, after its prepositions.
            end: where it ends.
            is_possessive: it owns what follows ("yesterday's"); what follows then begins with "'s".
        """
        before, after = sentence_around(text, start, end)
        said = text[start:end].translate(_APOSTROPHES)
        if is_possessive:
            said, after = said.removesuffix("'s"), f"'s{after}"
        return any(refusal.holds(before, said, after) for refusal in self._refusals)


def sentence_around(text: str, start: int, end: int) -> tuple[str, str]:
    """Return what stands before and after `text[start:end]` in its sentence, with straight apostrophes."""
    before = text[max(0, start - _REACH) : start].translate(_APOSTROPHES)
    after = text[end : end + _REACH].translate(_APOSTROPHES)
    begins = [match.end() for match in _SENTENCE_END.finditer(before)]
    ends = _SENTENCE_END.search(after)
    return before[begins[-1] if begins else 0 :], after[: ends.end()] if ends else after


def _compiled(pattern: str, names: Mapping[str, str]) -> regex.Pattern[str]:
    for name, meaning in names.items():
        pattern = pattern.replace(f"<{name}>", f"(?:{meaning})")
    return late_pattern(pattern, regex.IGNORECASE)
