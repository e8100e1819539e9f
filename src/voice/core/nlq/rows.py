"""Questions for the rows of a time: "Show me frustrated thoughts from yesterday", "Last month's proud moments".

Law: a question asks for rows where it names a time, asks for a list or for nothing in particular, and either calls what
it wants by what rows are called or says how many it wants.

Source: spec nlq, Test These Queries First; ruling E.
"""

from voice.core.answering.rows import ROWS
from voice.core.nlq.values import ParsedQuery
from voice.core.text.words import words


def asks_for_rows(parsed: ParsedQuery) -> bool:
    """Return whether a question asks for what was told in its time, and not for a fact."""
    if parsed.time is None or parsed.asked_for not in {"list", "statement"}:
        return False
    return parsed.limit is not None or any(word.key in ROWS for word in words(parsed.untimed))
