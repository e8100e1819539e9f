"""Questions for the rows of a time: "Show me frustrated thoughts from yesterday", "Last month's proud moments".

Law: a question asks for rows where it names a time, asks for a list or for nothing in particular, and either calls what
it wants by what rows are called or says how many it wants.

Source: spec nlq, Test These Queries First; ruling E.
"""

from voice.core.nlq.values import ParsedQuery
from voice.core.text.language_data import every_word
from voice.core.text.words import words


def looked_for(parsed: ParsedQuery) -> str:
    """Return what is looked for: a question without its time, and without what it calls the rows that it asks for."""
    text = parsed.untimed
    if not asks_for_rows(parsed) or all(term in every_word("questions", "rows") for term in parsed.terms):
        return text
    called = [word for word in words(text) if word.key in every_word("questions", "rows")]
    starts, ends = (0, *(word.end for word in called)), (*(word.start for word in called), len(text))
    return " ".join(filter(None, (text[start:end].strip() for start, end in zip(starts, ends, strict=True))))


def asks_for_rows(parsed: ParsedQuery) -> bool:
    """Return whether a question asks for what was told in its time, and not for a fact."""
    if parsed.time is None or parsed.asked_for not in {"list", "statement"}:
        return False
    return parsed.limit is not None or any(
        word.key in every_word("questions", "rows") for word in words(parsed.untimed)
    )
