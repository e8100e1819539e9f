"""An entry of Google Takeout's "My Activity" → lines: what was asked of Gemini, and what it answered.

Law: only Gemini's entries are read. The title holds the question behind a word for what happened; the answer is HTML
(`safeHtmlItem`), in older entries plain text (`subtitles`).
Entries name no conversation, so none is made up.
"""

from collections.abc import Mapping
from typing import Final

from voice.core.interchange.foreign.hypertext import html_words
from voice.core.interchange.foreign.loose import as_instant, as_list, as_map, as_text, stored_text
from voice.core.interchange.foreign.talk import Turn, turn_line
from voice.core.interchange.lines import BadLine, FileLine, LeftOut

_PROMPTED: Final = "Prompted "
_NO_PROMPTS: Final = ("Created ", "Used ", "Selected ", "Gave feedback", "Viewed ", "Visited ")
ELSEWHERE: Final = "activities outside Gemini"
NO_PROMPT: Final = "activities that are not prompts"


def gemini_lines(entry: Mapping[str, object], where: str) -> tuple[FileLine, ...]:
    """Return what was asked and answered, or why there is nothing of that."""
    names = [as_text(entry.get("header")), *(as_text(name) for name in as_list(entry.get("products")))]
    if not any(word in name.casefold() for name in names for word in ("gemini", "bard")):
        return (LeftOut(where=where, reason=ELSEWHERE),)
    title = as_text(entry.get("title"))
    items = [as_text(as_map(item).get("html")) for item in as_list(entry.get("safeHtmlItem"))]
    answers = [words for item in items if (words := stored_text(html_words(item)))] or _older_answers(entry)
    asked = title.removeprefix(_PROMPTED).strip()
    is_prompt = title.startswith(_PROMPTED) or (bool(answers) and not title.startswith(_NO_PROMPTS))
    if not is_prompt or not asked:
        return (LeftOut(where=where, reason=NO_PROMPT),)
    at = as_instant(entry.get("time"))
    if at is None:
        return (BadLine(where=where, reason="has no readable “time”"),)
    ref = f"gemini/{at.isoformat()}"
    question = Turn(ref=f"{ref}/asked", thread=None, text=asked, at=at, by_assistant=False)
    replies = [Turn(ref=f"{ref}/answered", thread=None, text=text, at=at, by_assistant=True) for text in answers]
    return tuple(turn_line(turn, where) for turn in (question, *replies))


def _older_answers(entry: Mapping[str, object]) -> list[str]:
    """Return what the subtitles say; one with an address is a file that was attached, and so is its heading."""
    subtitles = [as_map(item) for item in as_list(entry.get("subtitles"))]
    if any(each.get("url") for each in subtitles):
        return []
    return [text for each in subtitles if (text := as_text(each.get("name")))]
