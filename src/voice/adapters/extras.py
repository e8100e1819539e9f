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
    """Refuse what needs a package that is not installed; nothing is imported.

    Args:
        module: the package's module, one of the table above.
        what: what needs it, as the beginning of a sentence.
        otherwise: what works without it.

    Raises:
        ConfigurationError: it is not installed; the message names the extra that brings it.
    """
    if _is_there(module):
        return
    package, extra = EXTRAS[module]
    instead = "" if otherwise is None else f"; or {otherwise}"
    raise ConfigurationError(
        f"{what} needs the package {package}, which is not installed: pip install 'inner-voice[{extra}]', in a "
        f"checkout make setup{instead}"
    )


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # the package that it would lie in
        return False


def installed(group: str) -> Mapping[str, EntryPoint]:
    """Return the entry points of a group by name; of several packages with one name the first on the path counts."""
    found: dict[str, EntryPoint] = {}
    for entry in entry_points(group=group):
        found.setdefault(entry.name, entry)
    return found


def all_names(built_in: Iterable[str], group: str) -> tuple[str, ...]:
    """Return the names that are built in, in their order, and then those that packages bring beside them."""
    own = tuple(built_in)
    return (*own, *sorted(name for name in installed(group) if name not in own))


def make(entry: EntryPoint, context: object, *, kind: str, is_one: Callable[[object, str], bool]) -> object:
    """Return what the factory behind an entry point makes of `context`.

    Args:
        entry: one of `installed`.
        context: what the factory is called with.
        kind: what it should make, as a person calls it ("verifier").
        is_one: whether what was made is that, under the name of the entry; it may raise on anything else.

    Raises:
        ConfigurationError: it cannot be loaded, or made something else; the message names the package.
        VoiceError: whatever of it the factory raised.
    """
    whose = f"the {kind} {entry.name} of {_package(entry)}"
    try:
        made = cast("Callable[[object], object]", entry.load())(context)
        keeps_contract = is_one(made, entry.name)
    except VoiceError:
        raise
    except Exception as error:  # a package of somebody else's may fail in any way; it is named, with what it raised
        raise ConfigurationError(f"{whose} cannot be loaded ({type(error).__name__}); mend or remove it") from error
    if not keeps_contract:
        raise ConfigurationError(f"{whose} made something else than a {kind} of that name; mend or remove it")
    return made


def _package(entry: EntryPoint) -> str:
    return "an installed package" if entry.dist is None else f"the package {entry.dist.name}"
