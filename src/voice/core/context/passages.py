"""A row as a model reads it.

Law: what is known of a row stands in its tag, and what is not known is left out; nothing that a memory says can close
the tag (`neutralise`). A row that comes after another one of its note says so, in place of what is the same of both.
Templates of earlier versions show rows as they did, so that their prompts can be proven.

Source: DESIGN 6, wire and prompts; rulings D4, D20, D22, E.
"""

from collections.abc import Iterable

from voice.core.context.joined import follows
from voice.core.context.neutralise import attribute, neutralise
from voice.core.context.template import PromptTemplate
from voice.core.grounding.quotation.places import said_on
from voice.core.grounding.values import Evidence


def render_source(template: PromptTemplate, row: Evidence, before: Evidence | None = None) -> str:
    """Return a row as the prompt shows it, under the alias it bears.

    Args:
        template: the prompt's.
        row: the row.
        before: the row that is shown before it, under its alias.
    """
    after = before if before is not None and follows(row, before) else None
    slots = {
        "alias": row.alias,
        "date": f"{row.created_at:%Y-%m-%d}",
        "day": _day(row),
        "kind": row.source_type.removeprefix("kg_"),
        "speaker": _attribute("speaker", row.speaker),
        "context": _attribute("context", row.context),
        "told": f' follows="{after.alias}"' if after else _told(row),
        "place": _attribute("context", row.context if after is None or row.context != after.context else None),
        "standing": _standing(row),
        "text": neutralise(row.shown),
    }
    return template.render("source", slots)


def render_disagreements(template: PromptTemplate, pairs: Iterable[tuple[Evidence, Evidence]]) -> str:
    """Return a line for each two rows that cannot both hold; none, where the template has no words for it.

    Args:
        template: the prompt's.
        pairs: two rows each, under their aliases, the earlier first.
    """
    if not template.has("disagreement"):
        return ""
    return "".join(template.render("disagreement", _sides(*pair)) for pair in pairs)


def _sides(earlier: Evidence, later: Evidence) -> dict[str, str]:
    return {
        "earlier": earlier.alias,
        "earlier_date": f"{earlier.created_at:%Y-%m-%d}",
        "earlier_day": _day(earlier),
        "later": later.alias,
        "later_date": f"{later.created_at:%Y-%m-%d}",
        "later_day": _day(later),
    }


def _told(row: Evidence) -> str:
    """Return when a row was told, by whom, and in which conversation."""
    return f' date="{_day(row)}"{_attribute("speaker", row.speaker)}{_attribute("thread", row.thread)}'


def _attribute(name: str, value: str | None) -> str:
    return f' {name}="{attribute(value)}"' if value else ""


def _day(row: Evidence) -> str:
    """Return the day a row was told, as prompts from the third version on say it."""
    return str(said_on(row) or "undated")


def _standing(row: Evidence) -> str:
    """Return what tells a statement that has ended, or was replaced, from one that holds."""
    until = f' until="{row.valid_until:%Y-%m-%d}"' if row.valid_until else ""
    return until + (' superseded="yes"' if row.superseded_by else "")
