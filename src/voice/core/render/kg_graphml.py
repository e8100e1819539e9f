"""The knowledge graph as GraphML.

Law: a directed graph with typed keys that programs for graphs open as it is: entities and observations are nodes
(`kind` tells which), relations are edges, and so is what an observation is about. An observation about no entity has no
place in a graph and is not in it. Ids are names that XML allows; `row_id` is the row's own. The same rows give the same
bytes.

Source: docs/graph.md; GraphML 1.1.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Final, Literal

from voice.core.graph.subgraph import Subgraph
from voice.core.records import Entity, GraphRow, Observation, Relation
from voice.core.text.escaping import escape_markup
from voice.core.text.instants import render_if_dated, render_instant

_For = Literal["node", "edge"]
_Type = Literal["string", "double", "boolean"]
_ROW: Final[Mapping[str, _Type]] = {
    "kind": "string",
    "label": "string",
    "row_id": "string",
    "description": "string",
    "created_at": "string",
    "recorded_at": "string",
    "valid_from": "string",
    "valid_until": "string",
    "origin": "string",
    "trust": "string",
    "confidence": "double",
    "private": "boolean",
    "tags": "string",
    "provenance": "string",
}
KEYS: Final[Mapping[_For, Mapping[str, _Type]]] = {
    "node": {**_ROW, "entity_type": "string", "aliases": "string", "text": "string", "speaker": "string"},
    "edge": {**_ROW, "relation_type": "string"},
}
"""The keys of the file by what they are for, with their types; more than one value in a key is a JSON array."""
_SHORT: Final = 80
_NOT_IN_A_NAME: Final = re.compile(r"[^A-Za-z0-9.:-]")
_HEAD: Final = """\
<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns http://graphml.graphdrawing.org/xmlns/1.1/graphml.xsd">"""


def graph_graphml(part: Subgraph) -> str:
    """Return the document of a part of the graph: entities, then observations, then relations, each by id."""
    said = sorted(part.linked.observations, key=lambda row: row.id)
    nodes: list[Entity | Observation] = [*part.entities, *said]
    return "\n".join(
        (
            _HEAD,
            *_keys(),
            '<graph id="knowledge" edgedefault="directed">',
            *map(_node, nodes),
            *map(_relation, part.relations),
            *(line for row in said for line in _about(row)),
            "</graph>\n</graphml>\n",
        )
    )


def xml_name(row_id: str) -> str:
    """Return a name that XML allows as an id, another one for each row."""
    return _NOT_IN_A_NAME.sub(lambda found: f"_{ord(found[0]):x}_", row_id)


def _keys() -> Iterator[str]:
    for what, names in KEYS.items():
        for name, kind in names.items():
            yield f'<key id="{what}.{name}" for="{what}" attr.name="{name}" attr.type="{kind}"/>'


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
        name = f"{xml_name(row.id)}-about-{xml_name(entity_id)}"
        yield _edge(name, row.id, entity_id, {"kind": "about", "label": "about"})


def _edge(name: str, source: str, target: str, members: Mapping[str, str]) -> str:
    ends = f'source="{xml_name(source)}" target="{xml_name(target)}"'
    return f'<edge id="{name}" {ends}>{_data("edge", members)}</edge>'


def _shared(row: GraphRow) -> dict[str, str]:
    spans = [{"thought_id": span.thought_id, "start": span.start, "end": span.end} for span in row.provenance]
    return {
        "row_id": row.id,
        "created_at": render_if_dated(row.created_at) or "",
        "recorded_at": render_instant(row.recorded_at),
        "valid_from": _instant(row.valid_from),
        "valid_until": _instant(row.valid_until),
        "origin": row.origin.value,
        "trust": row.trust.value,
        "confidence": repr(float(row.confidence)),
        "private": "true" if row.is_private else "false",
        "tags": _several(row.tags),
        "provenance": json.dumps(spans, ensure_ascii=False) if spans else "",
    }


def _instant(moment: datetime | None) -> str:
    return render_instant(moment) if moment else ""


def _several(texts: Iterable[str]) -> str:
    listed = list(texts)
    return json.dumps(listed, ensure_ascii=False) if listed else ""


def _data(what: _For, members: Mapping[str, str]) -> str:
    """Return the values of a node or an edge; what is empty is left out."""
    return "".join(
        f'<data key="{what}.{name}">{escape_markup(value)}</data>' for name, value in members.items() if value
    )
