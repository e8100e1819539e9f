"""Packages that an installation may lack, and objects that other packages bring.

Law: what works offline needs none of them. What needs one looks for it before it does anything; one that is not there
is named in one line with what installs it, and nothing steps in (ruling A23).

What other packages bring: objects that are found by the name of an entry point. Nothing of a package is imported before
its name is asked for. Its factory is called with one context and makes one object, which is looked at before it is
used: what cannot be loaded, or is something else than it should be, fails by the name of its package, and what an
exception of somebody else's says is not repeated. Nothing is used in its place.

Source: ruling A24; promise 6.
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from typing import Final, cast

from voice.core.errors import ConfigurationError, VoiceError

EXTRAS: Final = {
    "google.genai": ("google-genai", "gemini"),
    "litellm": ("litellm", "litellm"),
    "mcp": ("mcp", "mcp"),
    "surrealdb": ("surrealdb", "server"),
    "pyarrow": ("pyarrow", "archive"),
    "agents": ("openai-agents", "openai-agents"),
    "pydantic_ai": ("pydantic-ai-slim", "pydantic-ai"),
    "langgraph": ("langgraph", "langgraph"),
    "anthropic": ("anthropic", "anthropic"),
}
"""Package and extra of each module."""


def require_installed(module: str, what: str, *, otherwise: str | None = None) -> None:
    """Check that the package of `module`, a key of `EXTRAS`, is installed, without importing it. `what` needs it, as a
    sentence begins; `otherwise` works without it. Raises ConfigurationError: it is not installed; the message names the
    extra."""
    with suppress(ModuleNotFoundError):  # its parent package is not installed
        if find_spec(module) is not None:
            return
    package, extra = EXTRAS[module]
    instead = "" if otherwise is None else f"; or {otherwise}"
    raise ConfigurationError(
        f"{what} needs the package {package}, which is not installed: pip install 'inner-voice[{extra}]', in a "
        f"checkout make setup{instead}"
    )


def installed(group: str) -> Mapping[str, EntryPoint]:
    """Return the entry points of a group by name; of several with one name, the first on the path."""
    # The first on the path is what an import would take.
    return {entry.name: entry for entry in reversed(tuple(entry_points(group=group)))}


def all_names(built_in: Iterable[str], group: str) -> tuple[str, ...]:
    """Return the built-in names, in their order, and then those of other packages."""
    own = tuple(built_in)
    return (*own, *sorted(name for name in installed(group) if name not in own))


def make(entry: EntryPoint, context: object, *, kind: str, is_one: Callable[[object, str], bool]) -> object:
    """Return the object that an entry point's factory makes with `context`: a `kind` in a person's words ("verifier"),
    of which `is_one` tells whether it is one of the entry's name. Raises ConfigurationError: it cannot be loaded, or
    makes something else, and the message names the package; VoiceError: raised by the factory."""
    package = "an installed package" if entry.dist is None else f"the package {entry.dist.name}"
    whose = f"the {kind} {entry.name} of {package}"
    try:
        made = cast("Callable[[object], object]", entry.load())(context)  # the factory
        keeps_contract = is_one(made, entry.name)
    except VoiceError:
        raise
    except Exception as error:  # another package's code may raise anything; the message names it and the error's type
        raise ConfigurationError(f"{whose} cannot be loaded ({type(error).__name__}); mend or remove it") from error
    if not keeps_contract:
        raise ConfigurationError(f"{whose} made something else than a {kind} of that name; mend or remove it")
    return made
