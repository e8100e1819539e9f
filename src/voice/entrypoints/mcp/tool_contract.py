"""The contract of a tool: its name, its parameters, what it may do.

Law: a tool is described once, here; its input schema, what is accepted of what models send, and `detailed_help` are
all made from it. Plain values: nothing is imported for them, because a host asks for the list of tools first.

A schema says the one type that is meant and no bounds where a number is clamped (ruling C16): hosts that check what a
model sends would refuse what the tool takes. Nothing stands at the top of a schema beside `type`, `properties` and
`required`: some providers refuse more than that.

Source: DESIGN 8 MCP; ECOSYSTEM 2.2, 2.3; rulings A9, A22, A24.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Kind = Literal["text", "integer", "number", "flag", "texts", "scope", "facts"]
_TYPES: Mapping[Kind, Mapping[str, object]] = {
    "text": {"type": "string"},
    "integer": {"type": "integer"},
    "number": {"type": "number"},
    "flag": {"type": "boolean"},
    "texts": {"type": "array", "items": {"type": "string"}},
    "facts": {
        "type": "array",
        "items": {
            "type": "object",
            "properties": {name: {"type": "string"} for name in ("text", "id", "date", "speaker")},
            "required": ["text"],
        },
    },
    "scope": {
        "type": "object",
        "properties": {name: {"type": "string"} for name in ("session_id", "repo_id", "agent_id", "user_id")},
    },
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One parameter of a tool."""

    name: str
    kind: Kind
    about: str
    required: bool = False
    choices: tuple[str, ...] = ()
    """The only values of a text; none: any."""
    also: tuple[str, ...] = ()
    """Other names under which models send it."""
    meant: tuple[tuple[str, str], ...] = ()
    """Other words for a choice, each with the choice it means."""
    is_literal: bool = False
    """Any text is meant as it stands, such as a name that is "None"; else "null" and the like are how models write that
    they say nothing."""

    def schema(self) -> dict[str, object]:
        """Return the JSON Schema of its value."""
        choices = {"enum": list(self.choices)} if self.choices else {}
        return {**_TYPES[self.kind], **choices, "description": self.about}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool, as a host lists it."""

    name: str
    dotted: str
    """The name it has in the specifications."""
    title: str
    about: str
    parameters: tuple[Parameter, ...]
    example: Mapping[str, object]
    """Arguments of a call that works on any memory."""
    writes: bool = False
    destroys: bool = False
    repeatable: bool = False
    """The same call again changes nothing more."""
    reaches_out: bool = False
    """It may ask a model that runs elsewhere, an encoder among them, if the settings name one."""
    is_gated: bool = False
    """It is refused while the inner voice is switched off (ruling A8)."""

    def input_schema(self) -> dict[str, object]:
        """Return the JSON Schema of its arguments."""
        required = [each.name for each in self.parameters if each.required]
        schema: dict[str, object] = {
            "type": "object",
            "properties": {each.name: each.schema() for each in self.parameters},
        }
        return {**schema, "required": required} if required else schema

    def annotations(self) -> dict[str, object]:
        """Return what a host may rely on when it decides whether to ask its person first."""
        return {
            "title": self.title,
            "readOnlyHint": not self.writes,
            "destructiveHint": self.destroys,
            "idempotentHint": self.repeatable or not self.writes,
            "openWorldHint": self.reaches_out,
        }


SCOPE = Parameter(
    name="scope",
    kind="scope",
    about="Only what belongs to this session, repository, agent or user; every dimension named must match. "
    'The text "all" means everything; "here" the repository this server was started in and what belongs to no scope. '
    "A memory in which something is scoped is not read without it.",
    also=("scope_ids", "scopeIds", "scopes"),
)
INCLUDE_PRIVATE = Parameter(
    name="include_private",
    kind="flag",
    about="Let private rows in (default false). Only when the person asked for it.",
    also=("includePrivate", "private"),
)
WHEN = Parameter(
    name="when",
    kind="text",
    about='Only this time, in words, such as "last week", "since March 3" or "2024-03-05".',
    also=("time", "date", "time_range", "timeframe"),
)
ORDER = Parameter(
    name="order",
    kind="text",
    about="Order of the result by date; left out: best first.",
    choices=("created_at_desc", "created_at_asc"),
    also=("sort", "order_by"),
    meant=(("desc", "created_at_desc"), ("newest", "created_at_desc"), ("newest_first", "created_at_desc"),
           ("asc", "created_at_asc"), ("oldest", "created_at_asc"), ("oldest_first", "created_at_asc")),
)  # fmt: skip
TAGS = ("tags", "tag", "includeTags", "include_tag")
NOT_TAGS = ("not_tags", "excludeTags", "exclude_tag")
QUERY = ("question", "q", "text", "prompt", "input", "content", "search")
COUNT = ("k", "n", "topK", "top", "count", "max_results", "num_results")


def by_name(tools: Sequence[Tool]) -> Mapping[str, Tool]:
    """Return tools by their names."""
    return {tool.name: tool for tool in tools}
