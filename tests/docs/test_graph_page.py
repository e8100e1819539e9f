"""docs/graph.md shows a picture that the program draws, and names what is in the files."""

import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

from graph_rows import NOW, entity, part, relation, said
from voice.core.graph.subgraph import Subgraph
from voice.core.render.kg_export import KEYS, jsonld_context
from voice.core.render.picture.drawing import draw
from voice.entrypoints.shared.graph_picture import drawing_svg, page_style

_DOCS = Path(__file__).resolve().parents[2] / "docs"
_PAGE = (_DOCS / "graph.md").read_text(encoding="utf-8")


def example() -> Subgraph:
    ended = replace(relation("anna", "member_of", "coop"), valid_until=datetime(2025, 6, 1, tzinfo=UTC))
    return part(
        entity("anna", "Anna Lund"),
        entity("bea", "Beatriz Carvalho"),
        entity("tom", "Tom"),
        entity("kiln", "Kiln rebuild", "project"),
        entity("studio", "Rua das Flores studio", "place"),
        entity("coop", "Barro Cooperative", "organisation"),
        entity("fair", "Spring ceramics fair", "event"),
        entity("glaze", "Celadon glaze", "concept"),
        entity("wheel", "Kick wheel", "tool"),
        relation("anna", "leads", "kiln"),
        relation("anna", "works_at", "studio"),
        relation("kiln", "located_in", "studio"),
        relation("anna", "teaches", "bea"),
        relation("bea", "apprentice_of", "anna"),
        relation("bea", "uses", "wheel"),
        relation("tom", "pays_for", "kiln"),
        relation("anna", "develops", "glaze"),
        relation("anna", "exhibits_at", "fair"),
        relation("coop", "organises", "fair"),
        ended,
        said("1", "Anna fires the celadon at cone 6.", "anna", "glaze"),
        said("2", "Tom and Anna talked about the bricks.", "anna", "tom"),
        said("3", "The kiln needs forty new bricks.", "kiln"),
    )


def picture() -> str:
    """Return docs/graph.svg: what stands in a page, as a picture of its own."""
    drawing = draw(example(), "e:anna", now=NOW)
    urls = [f"#e{number}" for number in range(len(drawing.cards))]
    drawn = re.search("<svg.*</svg>", drawing_svg(drawing, "Anna Lund", urls), flags=re.DOTALL)
    assert drawn
    look = f"<style>{page_style()}svg{{background:var(--page);font-family:system-ui,sans-serif}}</style>"
    head = '<svg xmlns="http://www.w3.org/2000/svg"'
    return re.sub("(<svg[^>]*>)", rf"\1{look}", drawn[0], count=1).replace("<svg", head, 1) + "\n"


def test_the_picture_on_the_page_is_what_is_drawn() -> None:
    assert (_DOCS / "graph.svg").read_text(encoding="utf-8") == picture()


def test_the_page_names_what_stands_in_the_files() -> None:
    named = set(re.findall(r"`([a-z:A-Z_]+)`", _PAGE))
    assert named & {"schema:validFrom", "prov:invalidatedAtTime", "schema:dateCreated", "prov:generatedAtTime"} == {
        cast("dict[str, str]", jsonld_context()[key])["@id"]
        for key in ("valid_from", "valid_until", "created_at", "recorded_at")
    }
    assert {"trust", "confidence", "origin", "private", "provenance", "valid_from", "valid_until"} <= named
    assert {"trust", "confidence", "origin", "private", "provenance"} <= KEYS["node"].keys()
