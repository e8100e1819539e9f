"""The graph as JSON-LD and as GraphML: what other programs read is what was stored."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import cast
from xml.etree import ElementTree as ET

import pytest

from graph_rows import entity, part, relation, said, studio
from voice.core.records import Observation, Provenance, Scope
from voice.core.render.kg_export import KEYS, graph_graphml, graph_jsonld, jsonld_context, row_iri, xml_name

_PUBLISHED = Path(__file__).resolve().parents[4] / "src" / "voice" / "schemas" / "kg.context.jsonld"
_XMLNS = "{http://graphml.graphdrawing.org/xmlns}"
_PROVEN = replace(
    said("9", 'A "quote" & <b>.\u2028', "anna"),
    provenance=(Provenance(thought_id="t:1", start=3, end=9),),
    tags=("studio", "clay"),
    scope=Scope(repo_id="pots"),
    speaker="Bea",
    thread="diary",
)
Node = dict[str, object]


def nodes(text: str) -> dict[object, Node]:
    document = cast("dict[str, list[Node]]", json.loads(text))
    return {node.get("id"): node for node in document["@graph"]}


def test_the_context_in_a_document_is_the_published_one() -> None:
    document = json.loads(graph_jsonld(part()))
    assert document["@context"] == json.loads(_PUBLISHED.read_text(encoding="utf-8"))["@context"]


def test_every_prefix_of_the_context_is_declared_in_it() -> None:
    used = {
        str(iri).partition(":")[0]
        for term in jsonld_context().values()
        for iri in (cast("Mapping[str, str]", term).values() if isinstance(term, Mapping) else (term,))
        if not str(iri).startswith(("@", "http", "urn:", "1.1"))
    }
    assert used == {"oa", "prov", "rdf", "schema", "xsd"}
    assert used <= jsonld_context().keys()


def test_entities_carry_a_schema_org_type_and_their_names() -> None:
    found = nodes(graph_jsonld(part()))
    anna, mochi = found["urn:inner-voice:row:e:anna"], found["urn:inner-voice:row:e:mochi"]
    assert anna["type"] == ["Entity", "prov:Entity", "schema:Person"]
    assert (anna["name"], anna["aliases"]) == ("Anna Lund", ["Anna", "A. Lund"])
    assert (mochi["type"], mochi["entity_type"]) == (["Entity", "prov:Entity", "schema:Thing"], "Cat")


def test_a_relation_is_a_statement_with_its_time_and_trust() -> None:
    found = nodes(graph_jsonld(part()))["urn:inner-voice:row:r:anna-member_of-coop"]
    assert found["type"] == ["Relation", "rdf:Statement", "prov:Entity"]
    assert (found["source"], found["target"]) == ("urn:inner-voice:row:e:anna", "urn:inner-voice:row:e:coop")
    assert found["predicate"] == "urn:inner-voice:relation-type:member_of"
    assert (found["valid_from"], found["valid_until"]) == ("2020-01-01T00:00:00Z", "2025-06-01T00:00:00Z")
    assert (found["trust"], found["description"]) == ("amber", "Since the first meeting.")


@pytest.mark.requirement("ruling:C13")
def test_an_observation_says_what_it_rests_on_and_where_in_it() -> None:
    found = nodes(graph_jsonld(part(entity("anna"), _PROVEN)))["urn:inner-voice:row:o:9"]
    assert (found["text"], found["about"]) == (_PROVEN.text, ["urn:inner-voice:row:e:anna"])
    assert (found["speaker"], found["thread"], found["tags"]) == ("Bea", "diary", ["clay", "studio"])
    assert found["scope"] == {"repo_id": "pots"}
    assert found["provenance"] == [
        {
            "type": "oa:SpecificResource",
            "thought": "urn:inner-voice:row:t:1",
            "selector": {"type": "oa:TextPositionSelector", "start": 3, "end": 9},
        }
    ]


@pytest.mark.requirement("promise:8")
def test_the_same_rows_in_any_order_give_the_same_bytes() -> None:
    rows = studio()
    assert graph_jsonld(part(*rows)) == graph_jsonld(part(*reversed(rows)))
    assert graph_graphml(part(*rows)) == graph_graphml(part(*reversed(rows)))


def test_a_name_for_the_world_leads_back_to_the_row() -> None:
    assert row_iri("e:a b/ü") == "urn:inner-voice:row:e:a%20b%2F%C3%BC"


def test_text_that_steers_a_terminal_is_written_as_its_number() -> None:
    rows = (entity("x", "evil\u202e\x9b"),)
    for text in (graph_jsonld(part(*rows)), graph_graphml(part(*rows))):
        assert not set(text) & set("\u202e\x9b")
        assert "evil" in text


def graphml(*rows: Observation) -> ET.Element:
    return ET.fromstring(graph_graphml(part(*studio(), *rows)))


def test_graphml_keeps_the_rules_of_its_schema() -> None:
    """graphml.xsd: key*, then graph; ids unique and names; every key that is used is declared for that element."""
    root = graphml(_PROVEN)
    assert [child.tag.removeprefix(_XMLNS) for child in root] == ["key"] * (len(root) - 1) + ["graph"]
    keys = {key.get("id"): (key.get("for"), key.get("attr.type")) for key in root.iter(f"{_XMLNS}key")}
    assert len(keys) == sum(map(len, KEYS.values()))
    graph = root[-1]
    assert graph.get("edgedefault") == "directed"
    node_ids = [node.get("id") for node in graph.iter(f"{_XMLNS}node")]
    edge_ids = [edge.get("id") for edge in graph.iter(f"{_XMLNS}edge")]
    assert (len(set(node_ids)), len(set(edge_ids))) == (len(node_ids), len(edge_ids))
    for element in graph:
        kind = element.tag.removeprefix(_XMLNS)
        assert kind in {"node", "edge"}
        if kind == "edge":
            assert {element.get("source"), element.get("target")} <= set(node_ids)
        for data in element:
            what, of_type = keys[data.get("key")]
            assert what == kind
            if of_type == "double":
                assert 0.0 <= float(data.text or "") <= 1.0
            if of_type == "boolean":
                assert data.text in {"true", "false"}


def _values(element: ET.Element) -> dict[str, str]:
    return {(data.get("key") or "").partition(".")[2]: data.text or "" for data in element}


def test_graphml_holds_entities_observations_and_what_joins_them() -> None:
    graph = graphml(_PROVEN)[-1]
    found = {element.get("id"): _values(element) for element in graph}
    assert found["e:anna"]["aliases"] == '["Anna", "A. Lund"]'
    assert found["r:anna-member_5f_of-coop"]["valid_until"] == "2025-06-01T00:00:00Z"
    assert found["o:9"]["text"] == _PROVEN.text
    assert found["o:9"]["provenance"] == '[{"thought_id": "t:1", "start": 3, "end": 9}]'
    assert found["o:9-about-e:anna"] == {"kind": "about", "label": "about"}
    assert "o:3" not in found


def test_a_long_observation_has_a_short_label_in_graphml() -> None:
    graph = graphml(said("long", "word " * 40, "anna"))[-1]
    label = next(_values(each)["label"] for each in graph if each.get("id") == "o:long")
    assert (len(label), label[-1]) == (80, "…")


def test_every_row_has_an_id_of_its_own_that_xml_allows() -> None:
    assert xml_name("e:01jq-a.b") == "e:01jq-a.b"
    assert xml_name("e:a_b") != xml_name("e:a b") != xml_name("e:a\u00e9b")
    assert xml_name("e:a_5f_b") != xml_name("e:a_b")


def test_relation_types_are_kept_as_they_were_written() -> None:
    text = graph_jsonld(part(entity("a"), entity("b"), relation("a", "a/b c", "b")))
    assert '"urn:inner-voice:relation-type:a%2Fb%20c"' in text
    assert '"relation_type": "a/b c"' in text
