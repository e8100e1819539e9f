"""Whether a model is asked at all.

Law: with a model nothing is refused before the call but where there is nothing to show it: no row was found, or none of
those that were may be shown, or none fits. Whether rows answer the question is the model's to say and the verifier's to
check. What a refusal says of the memory is literally true of what was found (ruling D5).
"""

from collections.abc import Sequence

from voice.core.grounding.answerability.can_be_grounded import Answerability
from voice.core.grounding.values import Evidence


def can_be_asked(evidence: Sequence[Evidence], *, unshown: int = 0, unfit: int = 0) -> Answerability:
    """Return whether there is anything to show a model.

    Args:
        evidence: the rows that would be shown.
        unshown: how many rows were kept out because they read like instructions (ruling D22).
        unfit: how many rows took more room than there is.
    """
    if evidence:
        return Answerability(ok=True)
    if unfit:
        missing = "no note that was found fits into the prompt; raise SURR_INNER_VOICE_MAX_TOKENS"
    elif unshown:
        missing = "every note that was found reads like instructions to the model, and none was shown to it"
    else:
        missing = "nothing was found that matches this question"
    return Answerability(ok=False, missing=missing)
