"""An import or its preview in words and counts.

Law: counts of rows and places in files, nothing of their words but what a preview shows.

Source: rulings A12, F; docs/import.md.
"""

from collections.abc import Mapping, Sequence
from datetime import tzinfo
from typing import TYPE_CHECKING, Final

from voice.core.records import Origin
from voice.core.text.escaping import printable

if TYPE_CHECKING:
    from voice.core.interchange.import_preview import Person, Preview
    from voice.services.imports.preview import ImportPreview
    from voice.services.imports.request import ImportReport, Omitted

FORMATS: Final = (
    "inner-voice-memory/1", "markdown", "memory-bench/1", "obsidian", "chatgpt", "claude", "gemini", "claude-code",
    "codex", "gemini-cli", "messages", "whatsapp", "telegram", "keep", "evernote", "notion", "logseq", "mbox", "jsonl",
    "text",
)  # fmt: skip
"""What can be imported, as `voice.ports.files.FileFormat` calls it."""
_PLACES_SHOWN: Final = 3
_PEOPLE_SHOWN: Final = 8
_WHO: Final = {
    Origin.HUMAN: "you",
    Origin.LOGGED: "a log you vouch for",
    Origin.MODEL: "a model",
    Origin.TOOL: "other people",
}
"""Whose words they are where nobody is named, and beside a name."""
_ONE = {
    "thoughts": "thought",
    "entities": "entity",
    "observations": "observation",
    "relations": "relation",
    "tombstones": "tombstone",
}
_OF_ONE = {
    "of their own": "of its own",
    "that are not prompts": "that is not a prompt",
    "with unsafe paths": "with an unsafe path",
}
_KNOWN_ANEW = {"made_private": "of them made private", "tagged": "of them given tags"}
_KIND_OF_LINE = {
    "ThoughtLine": "thoughts",
    "EntityLine": "entities",
    "ObservationLine": "observations",
    "RelationLine": "relations",
    "Tombstone": "tombstones",
}


def counts_in_words(counts: Mapping[str, int]) -> str:
    """Return counts of rows, those that are none left out."""
    return ", ".join(f"{count:,} {_named(name, count)}" for name, count in counts.items() if count)


def _named(name: str, count: int) -> str:
    one = _ONE.get(name, name) if count == 1 else name
    return _KNOWN_ANEW.get(name, one.replace("_", " "))


def omitted_in_words(reason: str, count: int) -> str:
    """Return how many were left out, and what they are.

    Args:
        reason: what they are, in the plural (`LeftOut`).
        count: how many.
    """
    if count != 1:
        return f"{count:,} {reason}"
    kind, _, rest = reason.partition(" ")
    for many, one in _OF_ONE.items():
        rest = rest.replace(many, one)
    return f"1 {kind.removesuffix('ies') + 'y' if kind.endswith('ies') else kind.removesuffix('s')} {rest}".rstrip()


def places_in_words(each: "Omitted") -> str:
    """Return the first places of what was left out."""
    more = "; …" if len(each.where) > _PLACES_SHOWN else ""
    return "; ".join(each.where[:_PLACES_SHOWN]) + more


def counts_of(report: "ImportReport") -> dict[str, int]:
    """Return what an import brought in, in counts of rows."""
    return {
        "thoughts": len(report.ingested.stored),
        "entities": report.entities,
        "observations": report.observations + report.ingested.observations,
        "relations": report.relations,
        "tombstones": report.tombstones,
        "already_known": report.ingested.already_known + report.graph_known,
        "made_private": report.restricted.made_private,
        "tagged": report.restricted.tagged,
        "forgotten": report.ingested.forgotten,
        "corrected": report.corrected,
    }


def preview_counts(seen: "ImportPreview") -> dict[str, int]:
    """Return what an import would bring in, in counts of rows."""
    return {
        **{name: seen.records[line] for line, name in _KIND_OF_LINE.items()},
        "thoughts": seen.preview.thoughts,
        "already_known": seen.already_known,
        "made_private": 0,
        "tagged": 0,
        "forgotten": seen.forgotten,
        "corrected": seen.corrected,
    }


def dates_in_words(seen: "Preview", zone: tzinfo) -> str:
    """Return from when to when the thoughts of a preview date.

    Args:
        seen: what was counted of them.
        zone: in which days are told.
    """
    if seen.earliest is None or seen.latest is None:
        return "none of them has a date"
    first, last = (f"{moment.astimezone(zone):%Y-%m-%d}" for moment in (seen.earliest, seen.latest))
    undated = f", {seen.undated:,} without a date" if seen.undated else ""
    return f"{first if first == last else f'{first} to {last}'}{undated}"


def people_in_words(people: "Sequence[Person]") -> str:
    """Return whose words they are, and how many thoughts: `you 12, Paul 3 (other people)`."""
    more = f" and {len(people) - _PEOPLE_SHOWN:,} more" if len(people) > _PEOPLE_SHOWN else ""
    return f"{', '.join(map(_who, people[:_PEOPLE_SHOWN]))}{more}"


def _who(person: "Person") -> str:
    who = _WHO[person.origin]
    return f"{printable(person.name)} {person.thoughts:,} ({who})" if person.name else f"{who} {person.thoughts:,}"
