"""Re-rankers by name: the one whose file can be fetched, and those that other packages bring.

Law: a package brings a re-ranker by an entry point of the group `voice.rerankers`, whose object is called with a
`RerankerContext` and returns a `Reranker` (`voice.adapters.entry_points` says how). A name that means nothing, or that
cannot be made, is an error at the first question and in `voice doctor`; nothing is used in its place. `auto` is the
built-in one where its file has been fetched, and none elsewhere.

Source: DESIGN 5 "Re-ranking"; ruling A24.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

from voice.adapters.entry_points import all_names, installed, make
from voice.adapters.rerankers.ms_marco import FILE, NAME, MsMarcoReranker
from voice.core.errors import ConfigurationError, RerankerUnavailable
from voice.ports.reranker import Reranker, RerankerInfo

GROUP: Final = "voice.rerankers"


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankerContext:
    """What a re-ranker that another package brings is made with."""

    models: Path
    """The directory that holds fetched model files."""


def make_reranker(name: str, context: RerankerContext) -> Reranker | None:
    """Return the re-ranker of this name; None for `none`, and for `auto` where the built-in one was not fetched.

    Raises:
        ConfigurationError: there is none of the name, or it cannot be made; the message names it.
        RerankerUnavailable: the built-in one is named and its file was not fetched.
    """
    file = context.models / FILE
    if name == "none" or (name == "auto" and not file.is_file()):
        return None
    if name in {"auto", NAME}:
        if not file.is_file():
            raise RerankerUnavailable(
                f"SURR_RERANKER names {NAME}, and its model is not installed; run: voice models install reranker"
            )
        return MsMarcoReranker(file)
    entry = installed(GROUP).get(name)
    if entry is None:
        known = ", ".join(reranker_names())
        raise ConfigurationError(
            f"SURR_RERANKER names {name!r}, and no such re-ranker is installed; use one of {known}, auto or none"
        )
    return cast("Reranker", make(entry, context, kind="re-ranker", is_one=_is_one))


def reranker_names() -> tuple[str, ...]:
    """Return every name that can be set, the built-in one first."""
    return all_names((NAME,), GROUP)


def _is_one(made: object, name: str) -> bool:
    """Return whether a factory of somebody else's made what the port describes, under the name it is installed by."""
    info, remote = getattr(made, "info", None), getattr(made, "remote", None)
    if not isinstance(info, RerankerInfo) or not isinstance(remote, bool):
        return False
    return callable(getattr(made, "score", None)) and info.name == name and bool(info.version)
