"""Candidates as the store's records, both ways.

Law: as of every record: what comes back is equal in every field (ruling B8). A candidate is one canonical JSON text;
what stands beside it is what it is looked up by, made from it whenever it is written.
"""

import json
from typing import Final, cast

from voice.adapters.disk.values_json import from_json, to_json, to_text
from voice.adapters.surreal.codec import Record, check_int, encode_instant
from voice.adapters.surreal.dialect import key_of, record
from voice.core.errors import StoreDamaged
from voice.core.graph.review.candidates import Candidate, CandidateKind, type_of
from voice.core.text.normalise import clean_text
from voice.ports.candidate_store import type_key

TABLE_OF_KIND: Final = {
    CandidateKind.ENTITY: "kg_entity_candidates",
    CandidateKind.RELATION: "kg_edge_candidates",
}
CANDIDATE_TABLES: Final = tuple(TABLE_OF_KIND.values())


def encode_candidate(candidate: Candidate, seq: int) -> Record:
    """Return the record of a candidate that is written under `seq`.

    Raises:
        InvalidParams: a number does not fit.
    """
    thoughts = dict.fromkeys(clean_text(span.thought_id) for span in candidate.provenance)
    members = {name: value for name, value in to_json(Candidate, candidate).items() if name != "seq"}
    return {
        "id": record(TABLE_OF_KIND[candidate.kind], candidate.id),
        "seq": seq,
        "revision": check_int(candidate.revision),
        "status": str(candidate.status),
        "type": clean_text(type_key(type_of(candidate.proposal))),
        "names": [clean_text(name) for name in candidate.names],
        "thought_ids": list(thoughts),
        "confidence": float(candidate.confidence),
        "is_private": candidate.is_private,
        "staged_at": encode_instant(candidate.staged_at),
        "body": to_text(members),
    }


def decode_candidate(found: Record) -> Candidate:
    """Return the candidate of a record.

    Raises:
        StoreDamaged: the record is no candidate any more, or another one than its id says.
    """
    key = key_of(found["id"])
    try:
        members = cast("dict[str, object]", json.loads(cast("str", found["body"])))
        candidate = from_json(Candidate, {**members, "seq": found["seq"]})
    except (ValueError, TypeError):
        candidate = None
    if candidate is None or candidate.id != key or candidate.revision != found["revision"]:
        raise StoreDamaged(f"the candidate {key} cannot be read; run `voice maintain verify`")
    return candidate
