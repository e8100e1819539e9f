"""What a turn is called whose reply holds no draft because of how it ended.

Law: how a provider says that a reply ended decides, not what can be read of it: at its limit it is `cut`, by the
provider itself it is `declined`, by the model it is `model_refused`. None of them says anything of the memory, and none
is asked again as it was: the same limit would cut it again, and it is paid for (ruling J3). A draft that is whole is a
draft, however its reply ended.

Source: rulings D6, D8, J3.
"""

from voice.core.grounding.refusal import advised
from voice.core.grounding.reply import DraftFault
from voice.core.grounding.values import Ending, RefusalReason
from voice.core.text.word_lists import word_set

_NAMES = word_set(
    "blocklist content_filter image_other image_prohibited_content image_recitation image_safety jailbreak language "
    "malformed_function_call malformed_response model_armor no_image other pause_turn prohibited_content recitation "
    "refusal safety sensitive spii tool_calls tool_use too_many_tool_calls unexpected_tool_call"
)
"""Providers' names for how they end a reply, as their documents have them; any other may hold words of a reply."""


def unfinished(
    ending: Ending, fault: DraftFault, *, provider: str, why: str | None, limit: int
) -> tuple[RefusalReason, str] | None:
    """Return the reason and the note of a reply without a draft, or None: it ended of itself and has another shape.

    Args:
        ending: how the reply ended.
        fault: why it is no draft.
        provider: who sent it.
        why: the provider's own name for how it ended; told where it is a known one.
        limit: how many tokens it was allowed.
    """
    if ending == "cut":
        told = f"the answer needs more than the {limit} tokens that a reply may take, reasoning included"
        return RefusalReason.CUT, advised(told, RefusalReason.CUT)
    if ending == "model_refused":
        return RefusalReason.MODEL_REFUSED, advised("it would not write about this", RefusalReason.MODEL_REFUSED)
    if ending == "complete" and fault.code != "empty":
        return None
    told = f"{provider} {'ended the reply itself' if ending == 'declined' else 'sent an empty reply'}{_named(why)}"
    return RefusalReason.DECLINED, advised(told, RefusalReason.DECLINED)


def _named(why: str | None) -> str:
    return f" ({why})" if why is not None and why.lower() in _NAMES else ""
