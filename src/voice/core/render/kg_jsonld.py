"""The knowledge graph as JSON-LD.

Law: one document that explains itself: its context stands in it, so reading it fetches nothing. Terms of schema.org,
PROV and Web Annotation are used where they mean the same; the rest is ours (`urn:inner-voice:kg#`). A relation is an
RDF statement of its own, because it has a time, a provenance and a trust; it is not asserted bare, because it may have
ended. The same rows give the same bytes.

Source: docs/graph.md; rulings C10, C13, F.
"""

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Final, assert_never
from urllib.parse import quote

from voice.core.graph.subgraph import Subgraph
from voice.core.records import Entity, GraphRow, Observation, Provenance, Relation, Scope
from voice.core.text.escaping import escape_json
from voice.core.text.instants import has_date, render_instant

FORMAT: Final = "inner-voice-kg-jsonld/1"
OURS: Final = "urn:inner-voice:kg#"
ROWS: Final = "urn:inner-voice:row:"
RELATION_TYPES: Final = "urn:inner-voice:relation-type:"

_TIME: Final = "xsd:dateTime"
CONTEXT: Final[Mapping[str, object]] = {
    "@version": 1.1,
    "@vocab": OURS,
    "oa": "http://www.w3.org/ns/oa#",
    "prov": "http://www.w3.org/ns/prov#",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "schema": "https://schema.org/",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "id": "@id",
    "type": "@type",
    "name": "schema:name",
    "aliases": {"@id": "schema:alternateName", "@container": "@set"},
    "description": "schema:description",
    "text": "schema:text",
    "about": {"@id": "schema:about", "@type": "@id", "@container": "@set"},
    "tags": {"@id": "schema:keywords", "@container": "@set"},
    "created_at": {"@id": "schema:dateCreated", "@type": _TIME},
    "recorded_at": {"@id": "prov:generatedAtTime", "@type": _TIME},
    "valid_from": {"@id": "schema:validFrom", "@type": _TIME},
    "valid_until": {"@id": "prov:invalidatedAtTime", "@type": _TIME},
    "provenance": {"@id": "prov:wasDerivedFrom", "@container": "@set"},
    "thought": {"@id": "oa:hasSource", "@type": "@id"},
    "selector": "oa:hasSelector",
    "start": {"@id": "oa:start", "@type": "xsd:nonNegativeInteger"},
    "end": {"@id": "oa:end", "@type": "xsd:nonNegativeInteger"},
    "source": {"@id": "rdf:subject", "@type": "@id"},
    "predicate": {"@id": "rdf:predicate", "@type": "@id"},
    "target": {"@id": "rdf:object", "@type": "@id"},
    "confidence": {"@type": "xsd:double"},
    "private": {"@type": "xsd:boolean"},
}
"""Published as voice/schemas/kg.context.jsonld; a term that is not here is one of ours, by its own name."""
_CLASSES: Final[Mapping[str, str]] = {
    "person": "schema:Person",
    "project": "schema:Project",
    "tool": "schema:Product",
    "place": "schema:Place",
    "organisation": "schema:Organization",
    "event": "schema:Event",
    "concept": "schema:DefinedTerm",
}


def graph_jsonld(part: Subgraph) -> str:
    """Return the document of a part of the graph: entities, relations, observations, each by id, a line each."""
    rows: list[GraphRow] = [*part.entities, *part.relations, *sorted(part.observations, key=lambda row: row.id)]
    context = json.dumps(CONTEXT, ensure_ascii=False, indent=1)
    nodes = ",\n".join(_line(node) for node in (_about(part), *map(_node, rows)))
    return f'{{"@context": {context},\n"@graph": [\n{nodes}\n]}}\n'


def _line(members: Mapping[str, object]) -> str:
    text = json.dumps(members, ensure_ascii=False, allow_nan=False)
    return escape_json(text)


def row_iri(row_id: str) -> str:
    """Return the name of a row for the world; the row's id can be read back from it."""
    return ROWS + quote(row_id, safe=":")


def _about(part: Subgraph) -> dict[str, object]:
    return {
        "type": "schema:Dataset",
        "format": FORMAT,
        "entities": len(part.entities),
        "relations": len(part.relations),
        "observations": len(part.observations),
    }


def _node(row: GraphRow) -> dict[str, object]:
    match row:
        case Entity():
            known = _CLASSES.get(row.entity_type.casefold())
            kinds = ["Entity", "prov:Entity", *([known] if known else ["schema:Thing"])]
            own = {"name": row.name, "entity_type": row.entity_type}
            own |= {"aliases": list(row.aliases)} if row.aliases else {}
            own |= {"description": row.description} if row.description else {}
        case Relation():
            kinds = ["Relation", "rdf:Statement", "prov:Entity"]
            own = {
                "source": row_iri(row.source_id),
                "predicate": RELATION_TYPES + quote(row.rel_type, safe=""),
                "relation_type": row.rel_type,
                "target": row_iri(row.target_id),
            }
            own |= {"description": row.description} if row.description else {}
        case Observation():
            kinds = ["Observation", "schema:Claim", "prov:Entity"]
            own = {"text": row.text, "about": [row_iri(each) for each in row.entity_ids]}
            own |= {name: said for name, said in (("speaker", row.speaker), ("thread", row.thread)) if said}
        case _:
            assert_never(row)
    return {"id": row_iri(row.id), "type": kinds, "row": row.id, **own, **dict(_shared(row))}


def _shared(row: GraphRow) -> Iterator[tuple[str, object]]:
    """Yield what every row has: its times, how far it can be trusted, and what it rests on."""
    times: tuple[tuple[str, datetime | None], ...] = (
        ("created_at", row.created_at if has_date(row.created_at) else None),
        ("recorded_at", row.recorded_at),
        ("valid_from", row.valid_from),
        ("valid_until", row.valid_until),
    )
    yield from ((name, render_instant(moment)) for name, moment in times if moment is not None)
    yield from (("origin", row.origin.value), ("trust", row.trust.value), ("confidence", row.confidence))
    yield "private", row.is_private
    if row.tags:
        yield "tags", list(row.tags)
    if not row.scope.is_empty:
        yield "scope", _scope(row.scope)
    if row.provenance:
        yield "provenance", [_span(span) for span in row.provenance]


def _scope(scope: Scope) -> dict[str, object]:
    said = (
        ("session_id", scope.session_id),
        ("repo_id", scope.repo_id),
        ("agent_id", scope.agent_id),
        ("user_id", scope.user_id),
    )
    return {name: value for name, value in said if value is not None}


def _span(span: Provenance) -> dict[str, object]:
    selector = {"type": "oa:TextPositionSelector", "start": span.start, "end": span.end}
    return {"type": "oa:SpecificResource", "thought": row_iri(span.thought_id), "selector": selector}
