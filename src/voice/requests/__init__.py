"""What a caller may say: each request is declared once, for every door.

Law: what a parameter is called, of what kind it is, its choices, its default and its description stand here. The
options of the command line, the schemas of the MCP tools, the bodies of the HTTP interface and the keyword arguments of
the library are made from it. Names and order are the specifications' where they have the request; what one door has
alone, or calls otherwise, is said beside it. Plain values: a host asks for the list of tools before anything else, and
`--help` waits for nobody.

Source: DESIGN 3, 8; rulings A18, A22, A24, C16.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Literal, TypeVar

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Door = Literal["cli", "mcp", "http", "library"]
Kind = Literal["text", "integer", "number", "flag", "texts", "scope", "facts"]
PROGRAMS: tuple[Door, ...] = ("mcp", "http", "library")
_Request = TypeVar("_Request", bound="DataclassInstance")


@dataclass(frozen=True, slots=True)
class Option:
    """How the command line says a parameter."""

    names: str
    """Its spellings, a blank between them; an argument as usage shows it, such as `[QUERY]`."""
    help: str = ""
    metavar: str | None = None
    least: int | None = None
    """A number below it is refused, where that of a program is put right."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One parameter of a request."""

    name: str
    kind: Kind
    about: str
    """For programs; what people read is the option's."""
    required: bool = False
    default: object = None
    """None: not said; of a flag false, of a list none."""
    choices: tuple[str, ...] = ()
    """The only values of a text; none: any."""
    least: int | None = None
    most: int | None = None
    """The numbers that are taken; None: one out of range is put right behind the doors (ruling C16)."""
    is_instant: bool = False
    """A text that names a moment; over HTTP it is written out, and the library takes a `datetime`."""
    may_be_empty: bool = False
    is_literal: bool = False
    """Any text is meant as it stands, such as a name that is "None"; else "null" and the like are how models write that
    they say nothing."""
    also: tuple[str, ...] = ()
    """Other names under which models send it."""
    meant: tuple[tuple[str, str], ...] = ()
    """Other words for a choice, each with the choice it means."""
    doors: tuple[Door, ...] = PROGRAMS
    """Where programs can say it."""
    cli: Option | None = None
    """How people can; None: they cannot."""
    names: Mapping[Door, str] = field(default_factory=dict[Door, str])
    """What it is called where its name is another."""
    abouts: Mapping[Door, str] = field(default_factory=dict[Door, str])
    """What is said of it where it is of another form."""
    inner: str = ""
    """What the service calls it; left out: the same."""

    def at(self, door: Door) -> "Parameter":
        """Return it as a door has it."""
        name, about = self.names.get(door, self.name), self.abouts.get(door, self.about)
        return replace(self, name=name, about=about, inner=self.inner or self.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request, and what may be said with it, in the order in which doors list it."""

    name: str
    about: str
    parameters: tuple[Parameter, ...]
    doors: tuple[Door, ...] = PROGRAMS
    """The doors of programs that have it."""
    writes: bool = False
    """Whether its scope is where something new belongs, rather than what is read."""

    def at(self, door: Door) -> tuple[Parameter, ...]:
        """Return what a door takes, as it has it."""
        is_there = door in self.doors
        return tuple(
            each.at(door)
            for each in self.parameters
            if (each.cli is not None if door == "cli" else is_there and door in each.doors)
        )

    def without(self, *names: str) -> "Request":
        """Return it without some of its parameters."""
        return replace(self, parameters=tuple(each for each in self.parameters if each.name not in names))


def filled(request: _Request, said: Mapping[str, object]) -> _Request:
    """Return a service's request with what was said; what is none of its fields is the door's own affair."""
    known = {each.name for each in fields(request)}
    return replace(request, **{name: value for name, value in said.items() if name in known})  # the rest is the door's
