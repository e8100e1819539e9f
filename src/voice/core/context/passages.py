"""A row as a model reads it.

Law: what is known of a row stands in its tag, and what is not known is left out; nothing that a memory says can close
the tag (`neutralise`). Templates of earlier versions show rows as they did, so that their prompts can be proven.

Source: DESIGN 6, wire and prompts; rulings D4, D20, D22, E.
"""

from collections.abc import Iterable

from voice.core.context.neutralise import attribute, neutralise
from voice.core.context.template import PromptTemplate
from voice.core.grounding.quotation.matching import said_on
from voice.core.grounding.values import Evidence


def render_source(template: PromptTemplate, row: Evidence) -> str:
    """Return a row as the prompt shows it, under the alias it bears."""
    slots = {
        "alias": row.alias,
        "date": f"{row.created_at:%Y-%m-%d}",
        "day": _day(row),
        "kind": row.source_type.removeprefix("kg_"),
        "speaker": f' speaker="{attribute(row.speaker)}"' if row.speaker else "",
        "context": f' context="{attribute(row.context)}"' if row.context else "",
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


def _day(row: Evidence) -> str:
    """Return the day a row was told, as prompts from the third version on say it."""
    return str(said_on(row) or "undated")


def _standing(row: Evidence) -> str:
    """Return what tells a statement that has ended, or was replaced, from one that holds."""
    until = f' until="{row.valid_until:%Y-%m-%d}"' if row.valid_until else ""
    return until + (' superseded="yes"' if row.superseded_by else "")
