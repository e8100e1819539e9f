"""Record that proves a prompt and its repair, without their text.

Law: enough to rebuild and prove it, without text (rulings A7, D20). There is one repair (ruling D8), within the same
budget (ruling D10); the record is of the last prompt sent.
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
    """Record a rendered prompt.

    Args:
        key: the store's 32 bytes.
        timezone: of the shown dates.
        view: the visibility under which rows were rendered.
        counted_by: name of the token counter.
    """
    lines = plan.summary_without if plan.summary_revision is not None else ()
    without = (("summary_without", " ".join(summary_lines_hashes(key, lines))),) if lines else ()
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
            *without,
        ),
        view=view,
        parts=tuple((name, part_hash(key, name, text)) for name, text in plan.parts),
    )


def part_hash(key: bytes, name: str, text: str) -> str:
    """Return the keyed hash of one named part of a prompt."""
    return keyed_hash(key, f"{name}\x00{text}")


def summary_lines_hashes(key: bytes, lines: Iterable[str]) -> tuple[str, ...]:
    """Return the keyed hashes that identify omitted summary lines."""
    return tuple(part_hash(key, "summary line", line) for line in lines)


LONGEST_FAULT = messages.reply_not_json(max(messages.JSON_FAULTS.values(), key=len), 400_000)
"""An upper bound for a fault's length in tokens (`voice.core.grounding.draft`)."""


def repair_reserve(template: PromptTemplate, count: Callable[[str], int]) -> int:
    """Return the maximum tokens a repair adds to a prompt."""
    return count(render_repair(template, "", LONGEST_FAULT))


def render_repair(template: PromptTemplate, prompt: str, fault: str) -> str:
    """Render the repair: the first prompt and the fault of its reply."""
    return template.render("user", {"prompt": prompt, "fault": fault})


def record_repair(
    first: PromptRecord, template: PromptTemplate, *, prompt_hash: str, fault: str, tokens: int
) -> PromptRecord:
    """Extend the record of the first prompt by its repair.

    Args:
        prompt_hash: keyed hash of system text and repair.
        fault: contains no text of the reply.
        tokens: of system and prompt.
    """
    repair = (("repair", template.label), ("repair_hash", template.template_hash), ("repair_fault", fault))
    return replace(
        first, prompt_hash=prompt_hash, prompt_tokens_estimated=tokens, rendering=(*first.rendering, *repair)
    )
