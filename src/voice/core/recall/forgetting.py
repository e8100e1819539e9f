"""What forgetting takes out of pins and capsules.

Law: a pin on a row that is forgotten goes with it; on one that is redacted it stays, and its reason goes. A capsule's
summary that rests on what goes, or quotes it, goes: the capsule's is then made of what is left. Words of a person that
quote what goes, a reason or an intent, are replaced.

Source: spec retrieval-contract, Redaction Handling; rulings G, H; docs/forgetting.md.
"""

from collections.abc import Collection
from dataclasses import replace

from voice.core.recall.values import REDACTED_TEXT, Capsule, Pin
from voice.core.session.forgetting import ForgottenContent


def pin_without(pin: Pin, gone: ForgottenContent) -> Pin | None:
    """Return what is left of a pin: itself, with another reason, or nothing."""
    is_on_it = pin.target_id in gone.ids
    if is_on_it and not gone.keeps_hashes:
        return None
    tells = is_on_it or gone.giveaway.is_quoted_in(pin.reason)
    return replace(pin, reason=REDACTED_TEXT) if tells and pin.reason != REDACTED_TEXT else pin


def capsule_without(capsule: Capsule, gone: ForgottenContent, *, within: Collection[str] = ()) -> Capsule:
    """Return what is left of a capsule, ready to be saved; itself where it holds nothing of what goes.

    Args:
        capsule: as it is stored.
        gone: what goes.
        within: the ids of capsules that a row which goes lay in.
    """
    changed = capsule
    summary = capsule.summary
    if summary is not None and (
        gone.ids.intersection(summary.evidence_refs) or gone.giveaway.is_quoted_in(summary.content)
    ):
        changed = replace(changed, summary=None)
    tells = gone.giveaway.is_quoted_in(capsule.intent) or (
        capsule.id in within and gone.giveaway.is_hinted_at_in(capsule.intent)
    )
    if tells and capsule.intent != REDACTED_TEXT:
        changed = replace(changed, intent=REDACTED_TEXT)
    return changed if changed is capsule else replace(changed, revision=capsule.revision + 1)
