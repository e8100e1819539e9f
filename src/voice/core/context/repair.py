"""The second asking, for a reply that had the wrong shape.

Law: there is one (ruling D8), and it obeys the budget as the first does (ruling D10): a prompt is built with its room
left free, and where it does not fit all the same it is not sent. What proves a prompt proves the one that was sent
last, the one that the answer came from (ruling D20).
"""

from collections.abc import Callable
from dataclasses import replace

from voice.core.context.template import PromptTemplate
from voice.core.session.values import PromptRecord

LONGEST_FAULT = (
    "the reply is not JSON: a line break or control character stands unescaped in a string at character 400000"
)
"""What is wrong with a reply is never said in more tokens than this (`voice.core.grounding.draft`)."""


def repair_reserve(template: PromptTemplate, count: Callable[[str], int]) -> int:
    """Return the tokens that the repair adds to a prompt, at most."""
    return count(render_repair(template, "", LONGEST_FAULT))


def render_repair(template: PromptTemplate, prompt: str, fault: str) -> str:
    """Return the prompt to send again: the first one, and what was wrong with the reply to it."""
    return template.render("user", {"prompt": prompt, "fault": fault})


def record_repair(
    first: PromptRecord, template: PromptTemplate, *, prompt_hash: str, fault: str, tokens: int
) -> PromptRecord:
    """Return the record of a repair prompt: what rebuilds the first one, and what was made of that.

    Args:
        first: the record of the prompt that was sent before.
        template: the repair's.
        prompt_hash: the keyed hash of the system text and the repair.
        fault: what was wrong; it holds no text of the reply.
        tokens: what system and prompt count.
    """
    repair = (("repair", template.label), ("repair_hash", template.template_hash), ("repair_fault", fault))
    return replace(
        first, prompt_hash=prompt_hash, prompt_tokens_estimated=tokens, rendering=(*first.rendering, *repair)
    )
