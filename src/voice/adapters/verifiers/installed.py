"""Verifiers by name: the two that are built in, and those that other packages bring.

Law: a package brings a verifier by an entry point of the group `voice.verifiers`, whose object is called with a
`VerifierContext` and returns a `Verifier`. Nothing of it is imported before its name is set. A name that means nothing,
or that cannot be made, is an error at the first question and in `voice doctor`; nothing is used in its place.

Source: DESIGN 6 stage 5; rulings A24, D24.
"""

from collections.abc import Callable, Sequence
from importlib.metadata import EntryPoint, entry_points
from typing import Final, cast

from voice.adapters.verifiers.cross_encoder import NAME as CROSS_ENCODER
from voice.adapters.verifiers.cross_encoder import open_cross_encoder
from voice.adapters.verifiers.llm_judge import NAME as LLM
from voice.adapters.verifiers.llm_judge import TEMPLATE, LlmJudge
from voice.core.context.template import latest
from voice.core.errors import ConfigurationError, VoiceError
from voice.core.grounding.verification import VerifierInfo
from voice.ports.verifier import Verifier, VerifierContext

GROUP: Final = "voice.verifiers"
_CANNOT_JUDGE: Final = frozenset({"extractive"})


def make_verifiers(names: Sequence[str], context: VerifierContext) -> tuple[Verifier, ...]:
    """Return the verifiers of these names, in order.

    Raises:
        ConfigurationError: there is none of a name, or it cannot be made; the message names it.
    """
    return tuple(_made(name, context) for name in names)


def verifier_names() -> tuple[str, ...]:
    """Return every name that can be set, the built-in ones first."""
    return (*_BUILT_IN, *sorted(name for name in _installed() if name not in _BUILT_IN))


def _cross_encoder(context: VerifierContext) -> Verifier:
    if context.model is None:
        raise ConfigurationError("the verifier cross-encoder needs a model file: set SURR_VERIFIER_MODEL to its path")
    return open_cross_encoder(context.model)


def _llm_judge(context: VerifierContext) -> Verifier:
    profile = context.llm.profile
    if profile.provider in _CANNOT_JUDGE:
        raise ConfigurationError(
            f"the verifier llm needs a language model, and {profile.provider} is none: set SURR_INNER_VOICE_PROVIDER, "
            "or leave llm out of SURR_VERIFIER"
        )
    return LlmJudge(context.llm, counter=context.counter, template=latest(context.prompts, TEMPLATE))


_BUILT_IN: Final = {CROSS_ENCODER: _cross_encoder, LLM: _llm_judge}


def _made(name: str, context: VerifierContext) -> Verifier:
    built_in = _BUILT_IN.get(name)
    if built_in is not None:
        return built_in(context)
    entry = _installed().get(name)
    if entry is None:
        known = ", ".join(verifier_names())
        raise ConfigurationError(
            f"SURR_VERIFIER names {name!r}, and no such verifier is installed; use one of {known}, or none"
        )
    return _loaded(entry, context)


def _installed() -> dict[str, EntryPoint]:
    """Return the entry points by name; of several packages with one name the first on the path counts."""
    found: dict[str, EntryPoint] = {}
    for entry in entry_points(group=GROUP):
        found.setdefault(entry.name, entry)
    return found


def _loaded(entry: EntryPoint, context: VerifierContext) -> Verifier:
    try:
        factory = cast("Callable[[VerifierContext], Verifier]", entry.load())
        verifier = factory(context)
        keeps_contract = _is_one(verifier, entry.name)
    except VoiceError:
        raise
    except Exception as error:  # a package of somebody else's may fail in any way; it is named, with what it raised
        raise ConfigurationError(
            f"{_whose(entry)} cannot be loaded ({type(error).__name__}); mend or remove it"
        ) from error
    if not keeps_contract:
        raise ConfigurationError(f"{_whose(entry)} made something else than a verifier of that name; mend or remove it")
    return verifier


def _is_one(made: object, name: str) -> bool:
    """Return whether a factory of somebody else's made what the port describes, under the name it is installed by."""
    info, score, remote = (getattr(made, part, None) for part in ("info", "score", "remote"))
    if not isinstance(info, VerifierInfo) or not callable(score) or not isinstance(remote, bool):
        return False
    lines = (info.thresholds.support, info.thresholds.doubt, info.thresholds.contradiction)
    return info.name == name and bool(info.version) and all(line is None or 0.0 <= line <= 1.0 for line in lines)


def _whose(entry: EntryPoint) -> str:
    package = "an installed package" if entry.dist is None else f"the package {entry.dist.name}"
    return f"the verifier {entry.name} of {package}"
