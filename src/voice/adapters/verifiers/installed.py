"""Verifiers by name: the two that are built in, and those that other packages bring.

Law: a package brings a verifier by an entry point of the group `voice.verifiers`, whose object is called with a
`VerifierContext` and returns a `Verifier` (`voice.adapters.entry_points` says how). A name that means nothing, or that
cannot be made, is an error at the first question and in `voice doctor`; nothing is used in its place.

Source: DESIGN 6 stage 5; rulings A24, D24.
"""

from collections.abc import Sequence
from typing import Final, cast

from voice.adapters.entry_points import all_names, installed, make
from voice.adapters.verifiers.cross_encoder import NAME as CROSS_ENCODER
from voice.adapters.verifiers.cross_encoder import open_cross_encoder
from voice.adapters.verifiers.llm_judge import NAME as LLM
from voice.adapters.verifiers.llm_judge import TEMPLATE, LlmJudge
from voice.core.context.template import latest
from voice.core.errors import ConfigurationError
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
    return all_names(_BUILT_IN, GROUP)


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
    entry = installed(GROUP).get(name)
    if entry is None:
        known = ", ".join(verifier_names())
        raise ConfigurationError(
            f"SURR_VERIFIER names {name!r}, and no such verifier is installed; use one of {known}, or none"
        )
    return cast("Verifier", make(entry, context, kind="verifier", is_one=_is_one))


def _is_one(made: object, name: str) -> bool:
    """Return whether a factory of somebody else's made what the port describes, under the name it is installed by."""
    info, score, remote = (getattr(made, part, None) for part in ("info", "score", "remote"))
    if not isinstance(info, VerifierInfo) or not callable(score) or not isinstance(remote, bool):
        return False
    lines = (info.thresholds.support, info.thresholds.doubt, info.thresholds.contradiction)
    return info.name == name and bool(info.version) and all(line is None or 0.0 <= line <= 1.0 for line in lines)
