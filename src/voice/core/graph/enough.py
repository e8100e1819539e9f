"""How sure is sure enough to be staged, as the limits that staging takes.

Law: the thresholds are the measured ones, per kind and type; whoever asks for a least confidence can raise them and
never lower them, so that one number for all (the spec's 0.6) lets no junk in and keeps no relation out.

Source: spec rag-organize 2; ruling F.2.
"""

from voice.core.graph.extracted import ENTITY_THRESHOLDS, RELATION_THRESHOLD
from voice.core.graph.staging import StageLimits

UNKNOWN_TYPE_THRESHOLD = 0.75
"""Of an entity of a type that was not measured."""


def stage_limits(least: float = 0.0, *, max_nodes: int | None = None, max_edges: int | None = None) -> StageLimits:
    """Return the limits under which things are staged.

    Args:
        least: what everything must reach besides the threshold of its kind.
        max_nodes: how many entities at once; None is no bound.
        max_edges: how many relations at once.
    """
    return StageLimits(
        entities=max(least, UNKNOWN_TYPE_THRESHOLD),
        relations=max(least, RELATION_THRESHOLD),
        types={name: max(least, threshold) for name, threshold in ENTITY_THRESHOLDS.items()},
        max_nodes=max_nodes,
        max_edges=max_edges,
    )


def is_below_every_threshold(least: float) -> bool:
    """Return whether asking for `least` changes nothing."""
    return least < min(*ENTITY_THRESHOLDS.values(), RELATION_THRESHOLD)
