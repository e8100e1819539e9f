"""Packages that an installation may lack, each brought by an extra of `inner-voice`.

Law: what works offline needs none of them. What needs one looks for it before it does anything; one that is not there
is named in one line with what installs it, and nothing steps in (ruling A23).
"""

from importlib.util import find_spec
from typing import Final

from voice.core.errors import ConfigurationError

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
