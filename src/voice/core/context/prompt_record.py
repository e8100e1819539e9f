"""Record what proves a prompt and its repair, without their text.

Law: enough to rebuild and prove it, nothing to read (rulings A7, D20).

The second asking, for a reply that had the wrong shape. There is one (ruling D8), and it obeys the budget as the first
does (ruling D10): a prompt is built with its room left free, and where it does not fit all the same it is not sent.
What proves a prompt proves the one that was sent last, the one that the answer came from (ruling D20).
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime

from voice.core.context.build import ContextPlan
from voice.core.context.prompt_templates import PromptTemplate, prompt_hash
from voice.core.grounding.values import Stance
from voice.core.messages import asking as messages
from voice.core.session.values import PromptRecord, PromptView
from voice.core.text.normalise import keyed_hash
from voice.core.token_estimates import ESTIMATE


def record_prompt(  # noqa: PLR0913 - each names something that shaped the text
    plan: ContextPlan,
    template: PromptTemplate,
    *,
    key: bytes,
    now: datetime,
    timezone: str,
    stance: Stance,
    view: PromptView,
    counted_by: str = ESTIMATE,
) -> PromptRecord:
    """Return the record of a rendered prompt.

    Args:
        key: the store's 32 bytes.
        now: the instant the prompt speaks of.
        timezone: the zone whose days it shows.
        stance: how the voice was to speak.
        view: whose eyes its rows were read with.
        counted_by: the name of what counted its tokens.
    """
    return PromptRecord(
        prompt_hash=prompt_hash(key, plan.system, plan.prompt),
        template=template.label,
        template_hash=template.template_hash,
        evidence=tuple((row.row_id, row.content_hash) for row in plan.evidence),
        summary_revision=plan.summary_revision,
        summary_through=plan.summary_through,
        window_exchange_ids=plan.exchange_ids,
        now=now,
        timezone=timezone,
        prompt_tokens_estimated=plan.prompt_tokens,
        rendering=(
            ("budget", str(plan.budget)),
            ("estimate", counted_by),
            ("stance", stance.value),
            *plan.summary_made,
            *_without(plan, key),
        ),
        view=view,
        parts=tuple((name, part_hash(key, name, text)) for name, text in plan.parts),
    )


def part_hash(key: bytes, name: str, text: str) -> str:
    """Return the keyed hash of one part of a prompt; the same text in another place has another one."""
    return keyed_hash(key, f"{name}\x00{text}")


def summary_lines_hashes(key: bytes, lines: Iterable[str]) -> tuple[str, ...]:
    """Return the keyed hashes by which lines that were left out of a summary are known again."""
    return tuple(part_hash(key, "summary line", line) for line in lines)


def _without(plan: ContextPlan, key: bytes) -> tuple[tuple[str, str], ...]:
    """Return what is kept of the lines that the summary was shown without, if it was."""
    if plan.summary_revision is None or not plan.summary_without:
        return ()
    return (("summary_without", " ".join(summary_lines_hashes(key, plan.summary_without))),)


LONGEST_FAULT = messages.reply_not_json(max(messages.JSON_FAULTS.values(), key=len), 400_000)
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
        prompt_hash: the keyed hash of the system text and the repair.
        fault: what was wrong; it holds no text of the reply.
        tokens: what system and prompt count.
    """
    repair = (("repair", template.label), ("repair_hash", template.template_hash), ("repair_fault", fault))
    return replace(
        first, prompt_hash=prompt_hash, prompt_tokens_estimated=tokens, rendering=(*first.rendering, *repair)
    )
