"""What is kept of a prompt.

Law: enough to rebuild and prove it, nothing to read (rulings A7, D20).
"""

from datetime import datetime

from voice.core.context.build import ContextPlan
from voice.core.context.template import PromptTemplate, prompt_hash
from voice.core.grounding.values import Stance
from voice.core.session.values import PromptRecord


def record_prompt(
    plan: ContextPlan, template: PromptTemplate, *, key: bytes, now: datetime, timezone: str, stance: Stance
) -> PromptRecord:
    """Return the record of a rendered prompt; `key` is the store's 32 bytes, `now` the instant the prompt speaks of."""
    return PromptRecord(
        prompt_hash=prompt_hash(key, plan.system, plan.prompt),
        template=template.label,
        template_hash=template.template_hash,
        evidence=tuple((row.row_id, row.content_hash) for row in plan.evidence),
        summary_revision=plan.summary_revision,
        window_exchange_ids=plan.exchange_ids,
        now=now,
        timezone=timezone,
        prompt_tokens_estimated=plan.prompt_tokens,
        rendering=(("budget", str(plan.budget)), ("stance", stance.value)),
    )
