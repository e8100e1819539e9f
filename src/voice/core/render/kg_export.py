"""The knowledge graph as GraphML and as JSON-LD; the same rows give the same bytes.

Law: GraphML is a directed graph with typed keys: entities and observations are nodes (`kind` tells which), relations
are edges, and so is what an observation is about; one about no entity is left out. Ids are names that XML allows.
JSON-LD is one document with its published context in it: schema.org, PROV and Web Annotation where they mean the same,
else ours (`urn:inner-voice:kg#`). A relation is an RDF statement with time, provenance and trust, not asserted bare: it
may have ended.
Source: docs/graph.md; GraphML 1.1; rulings C10, C13, F.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from importlib.resources import files
from typing import Final, Literal, assert_never, cast
from urllib.parse import quote

from voice.core.graph.subgraph import Subgraph
from voice.core.recall.params import scope_json
from voice.core.records import Entity, GraphRow, Observation, Provenance, Relation
from voice.core.text.display import escape_json, escape_markup
from voice.core.text.instants import has_date, render_if_dated, render_instant

_For = Literal["node", "edge"]
_Type = Literal["string", "double", "boolean"]
_ROW: Final[Mapping[str, _Type]] = {
    "kind": "string", "label": "string", "row_id": "string", "description": "string", "created_at": "string",
    "recorded_at": "string", "valid_from": "string", "valid_until": "string", "origin": "string", "trust": "string",
    "confidence": "double", "private": "boolean", "tags": "string", "provenance": "string",
}  # fmt: skip
KEYS: Final[Mapping[_For, Mapping[str, _Type]]] = {
    "node": {**_ROW, "entity_type": "string", "aliases": "string", "text": "string", "speaker": "string"},
    "edge": {**_ROW, "relation_type": "string"},
}
"""The keys of the file by what they are for, with their types; more than one value in a key is a JSON array."""
_SHORT: Final = 80  # characters of a node's label
_NOT_IN_A_NAME: Final = re.compile(r"[^A-Za-z0-9.:-]")  # nor is "_", which begins an escape: names stay distinct
_HEAD: Final = """\
<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns http://graphml.graphdrawing.org/xmlns/1.1/graphml.xsd">"""


def graph_graphml(part: Subgraph) -> str:
    """Return the document of a part of the graph: entities, then observations, then relations, each by id."""
    observations = sorted(part.linked.observations, key=lambda row: row.id)
    nodes: list[Entity | Observation] = [*part.entities, *observations]
    return "\n".join(
        (
            _HEAD,
            *(
                f'<key id="{what}.{name}" for="{what}" attr.name="{name}" attr.type="{kind}"/>'
                for what, names in KEYS.items()
                for name, kind in names.items()
            ),
            '<graph id="knowledge" edgedefault="directed">',
            *map(_node, nodes),
            *map(_relation, part.relations),
            *(line for row in observations for line in _about(row)),
            "</graph>\n</graphml>\n",
        )
    )


def xml_name(row_id: str) -> str:
    """Return a name that XML allows as an id, another one for each row."""
    return _NOT_IN_A_NAME.sub(lambda found: f"_{ord(found[0]):x}_", row_id)  # "e:ä" is "e:_e4_"


def _node(row: Entity | Observation) -> str:
    if isinstance(row, Entity):
        own = {
            "kind": "entity",
            "label": row.name,
            "entity_type": row.entity_type,
            "aliases": _several(row.aliases),
            "description": row.description,
        }
    else:
        label = row.text if len(row.text) <= _SHORT else row.text[: _SHORT - 1] + "…"
        own = {"kind": "observation", "label": label, "text": row.text, "speaker": row.speaker or ""}
    return f'<node id="{xml_name(row.id)}">{_data("node", {**own, **_shared(row)})}</node>'


def _relation(row: Relation) -> str:
    own = {"kind": "relation", "label": row.rel_type, "relation_type": row.rel_type, "description": row.description}
    return _edge(xml_name(row.id), row.source_id, row.target_id, {**own, **_shared(row)})


def _about(row: Observation) -> Iterator[str]:
    for entity_id in row.entity_ids:
        name = f"{xml_name(row.id)}-about-{xml_name(entity_id)}"  # an edge has no id of its own in the store
        yield _edge(name, row.id, entity_id, {"kind": "about", "label": "about"})


def _edge(name: str, source: str, target: str, members: Mapping[str, str]) -> str:
    ends = f'source="{xml_name(source)}" target="{xml_name(target)}"'
    return f'<edge id="{name}" {ends}>{_data("edge", members)}</edge>'


def _shared(row: GraphRow) -> dict[str, str]:
    spans = [{"thought_id": span.thought_id, "start": span.start, "end": span.end} for span in row.provenance]
    return {
        "row_id": row.id,
        "created_at": render_if_dated(row.created_at) or "",  # undated: no key, not a wrong date
        "recorded_at": render_instant(row.recorded_at),
        "valid_from": _instant(row.valid_from),
        "valid_until": _instant(row.valid_until),
        "origin": row.origin.value,
        "trust": row.trust.value,
        "confidence": repr(float(row.confidence)),  # the shortest decimal that reads back the same
        "private": "true" if row.is_private else "false",  # the booleans of XML Schema
        "tags": _several(row.tags),
        "provenance": json.dumps(spans, ensure_ascii=False) if spans else "",
    }


def _instant(moment: datetime | None) -> str:
    return render_instant(moment) if moment else ""


def _several(texts: Iterable[str]) -> str:
    listed = list(texts)
    return json.dumps(listed, ensure_ascii=False) if listed else ""  # GraphML has no lists


def _data(what: _For, members: Mapping[str, str]) -> str:
    """Return the values of a node or an edge; what is empty is left out."""
    return "".join(
        f'<data key="{what}.{name}">{escape_markup(value)}</data>' for name, value in members.items() if value
    )


FORMAT: Final = "inner-voice-kg-jsonld/1"
ROWS: Final = "urn:inner-voice:row:"
RELATION_TYPES: Final = "urn:inner-voice:relation-type:"

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
    context = json.dumps(jsonld_context(), ensure_ascii=False, indent=1)
    members = (_jsonld_about(part), *map(_jsonld_node, rows))
    # Escaped like all JSON that is shown: characters that steer a terminal or turn the reading order.
    nodes = ",\n".join(escape_json(json.dumps(each, ensure_ascii=False, allow_nan=False)) for each in members)
    return f'{{"@context": {context},\n"@graph": [\n{nodes}\n]}}\n'


def jsonld_context() -> Mapping[str, object]:
    """Return the published context; a term that is not in it is one of ours, by its own name."""
    published = json.loads((files("voice") / "schemas" / "kg.context.jsonld").read_text(encoding="utf-8"))
    return cast("Mapping[str, object]", published["@context"])


def row_iri(row_id: str) -> str:
    """Return the name of a row for the world; the row's id can be read back from it."""
    return ROWS + quote(row_id, safe=":")  # the colon stays: "urn:…:row:e:1"


def _jsonld_about(part: Subgraph) -> dict[str, object]:
    return {
        "type": "schema:Dataset",
        "format": FORMAT,
        "entities": len(part.entities),
        "relations": len(part.relations),
        "observations": len(part.observations),
    }


def _jsonld_node(row: GraphRow) -> dict[str, object]:
    match row:
        case Entity():
            known = _CLASSES.get(row.entity_type.casefold())
            kinds = ["Entity", "prov:Entity", *([known] if known else ["schema:Thing"])]  # a type of the person's own
            own = {"name": row.name, "entity_type": row.entity_type}
            own |= {"aliases": list(row.aliases)} if row.aliases else {}
            own |= {"description": row.description} if row.description else {}
        case Relation():
            kinds = ["Relation", "rdf:Statement", "prov:Entity"]
            own = {
                "source": row_iri(row.source_id),
                "predicate": RELATION_TYPES + quote(row.rel_type, safe=""),  # a type is a text of the person's
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
    return {"id": row_iri(row.id), "type": kinds, "row": row.id, **own, **dict(_jsonld_shared(row))}


def _jsonld_shared(row: GraphRow) -> Iterator[tuple[str, object]]:
    """Yield what every row has: its times, how far it can be trusted, and what it rests on."""
    times: tuple[tuple[str, datetime | None], ...] = (
        ("created_at", row.created_at if has_date(row.created_at) else None),
        ("recorded_at", row.recorded_at),
        ("valid_from", row.valid_from),
        ("valid_until", row.valid_until),
    )
    yield from ((name, render_instant(moment)) for name, moment in times if moment is not None)  # unknown: not there
    yield from (("origin", row.origin.value), ("trust", row.trust.value), ("confidence", row.confidence))
    yield "private", row.is_private
    if row.tags:
        yield "tags", list(row.tags)
    if not row.scope.is_empty:
        yield "scope", {f"{name}_id": value for name, value in scope_json(row.scope).items()}
    if row.provenance:
        yield "provenance", [_span(span) for span in row.provenance]


def _span(span: Provenance) -> dict[str, object]:
    selector = {"type": "oa:TextPositionSelector", "start": span.start, "end": span.end}
    return {"type": "oa:SpecificResource", "thought": row_iri(span.thought_id), "selector": selector}
