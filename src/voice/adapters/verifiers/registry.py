"""Verifiers by name: the one that is built in, and those that other packages bring.

Law: a package brings a verifier by an entry point of the group `voice.verifiers`, whose object is called with a
`VerifierContext` and returns a `Verifier` (`voice.adapters.extras` says how). A name that means nothing, or that
cannot be made, is an error at the first question and in `voice doctor`; nothing is used in its place.

Source: DESIGN 6 "The verifier"; rulings A24, D24.
"""

from typing import Final, cast

from voice.adapters.extras import all_names, installed, make
from voice.adapters.verifiers.llm_judge import NAME as LLM
from voice.adapters.verifiers.llm_judge import TEMPLATE, LlmJudge
from voice.core.context.prompt_templates import latest_template
from voice.core.errors import ConfigurationError
from voice.core.grounding.verifier_values import VerifierInfo
from voice.ports.verifier import Verifier, VerifierContext

GROUP: Final = "voice.verifiers"


def make_verifier(name: str, context: VerifierContext) -> Verifier | None:
    """Return the verifier of this name; None for `none`, and for `auto` where no model writes that could check.

    Raises:
        ConfigurationError: there is none of the name, or it cannot be made; the message names it.
    """
    if name == "none" or (name == "auto" and not context.llm.profile.writes):
        return None
    return _made(LLM if name == "auto" else name, context)


def verifier_names() -> tuple[str, ...]:
    """Return every name that can be set, the built-in ones first."""
    return all_names(_BUILT_IN, GROUP)


def _llm_judge(context: VerifierContext) -> Verifier:
    profile = context.llm.profile
    if not profile.writes:
        raise ConfigurationError(
            f"the verifier llm needs a language model, and {profile.provider} is none: set SURR_VERIFIER_MODEL "
            "or SURR_INNER_VOICE_PROVIDER, or set SURR_VERIFIER=none"
        )
    return LlmJudge(context.llm, counter=context.counter, template=latest_template(context.prompts, TEMPLATE))


_BUILT_IN: Final = {LLM: _llm_judge}


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
    info, remote = getattr(made, "info", None), getattr(made, "remote", None)
    if not isinstance(info, VerifierInfo) or not isinstance(remote, bool):
        return False
    if not callable(getattr(made, "verify", None)) or not callable(getattr(made, "foresee", None)):
        return False
    return info.name == name and bool(info.version)
