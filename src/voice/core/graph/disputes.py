"""Which candidates say what cannot be true beside something else that is known or waits.

Law: a candidate is held against the edges of the graph and against the other candidates before anybody decides, and
what contradicts it is shown beside it; it is neither rejected nor taken back on that account (`contradictions`). Who is
meant by a name is who bears it in the graph, if that is one entity; else the name itself.

Source: ruling F; S1 6.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from voice.core.graph.candidates import Candidate, CandidateStatus, RelationProposal
from voice.core.graph.contradictions import ONE_AT_A_TIME, Claim, contradictions
from voice.core.records import EntityName, Relation
from voice.core.text.normalise import norm_v1


def meanings(nodes: Iterable[EntityName]) -> Mapping[str, str]:
    """Return which entity each normalised name means, where it means one alone; an id means itself."""
    held: dict[str, set[str]] = {}
    ids: dict[str, str] = {}
    for node in nodes:
        ids[norm_v1(node.id)] = node.id
        for name in (node.name, *node.aliases):
            held.setdefault(norm_v1(name), set()).add(node.id)
    return {**{name: min(of) for name, of in held.items() if len(of) == 1}, **ids}


def disputable(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """Return the candidates that something could contradict: edges that wait and of which one holds at a time."""
    return tuple(each for each in candidates if _claim(each, {}) is not None)


def disputes(
    candidates: Iterable[Candidate], edges: Iterable[Relation], meant: Mapping[str, str]
) -> Mapping[str, tuple[str, ...]]:
    """Return what contradicts each candidate: ids of edges and of other candidates, in order.

    Args:
        candidates: those that wait, each held against all others.
        edges: the live edges of the entities that they are about.
        meant: what names mean (`meanings`).
    """
    claims = [claim for each in candidates if (claim := _claim(each, meant)) is not None]
    ours = {claim.id for claim in claims}
    found: dict[str, set[str]] = {}
    for one, other in contradictions([*claims, *map(Claim.of, edges)]):
        found.setdefault(one, set()).add(other)
        found.setdefault(other, set()).add(one)
    return {row_id: tuple(sorted(against)) for row_id, against in found.items() if row_id in ours}


def _claim(candidate: Candidate, meant: Mapping[str, str]) -> Claim | None:
    said = candidate.proposal
    if not isinstance(said, RelationProposal) or candidate.status is not CandidateStatus.PENDING:
        return None
    claim = Claim(
        id=candidate.id,
        source=said.source,
        rel_type=said.rel_type,
        target=said.target,
        valid_from=said.valid_from,
        valid_until=said.valid_until,
    )
    ends = {"source": _who(said.source, meant), "target": _who(said.target, meant)}
    return replace(claim, **ends) if norm_v1(said.rel_type.replace("_", " ")) in ONE_AT_A_TIME else None


def _who(name: str, meant: Mapping[str, str]) -> str:
    return meant.get(norm_v1(name), name)
