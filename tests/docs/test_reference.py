"""The reference is made of the code: nothing that is published is missing, and every example keeps its schema."""

from pathlib import Path
from typing import cast

import pytest
from reference.errors import WHAT_TO_DO, errors_markdown, tree
from reference.examples import example
from reference.library import library_markdown
from reference.pages import outside
from reference.requirements import requirements_markdown
from reference.schemas import schema_pages
from reference.shelf import Node, Shelf

from tables import tables

TABLES = tables(__file__)

ROOT = Path(__file__).resolve().parents[2]
SCHEMAS = ROOT / "src" / "voice" / "schemas"
SHELF = Shelf.of(SCHEMAS)


@pytest.mark.requirement("docs:generated")
def test_the_page_of_errors_is_current_and_leaves_none_out() -> None:
    """`make docs` writes it again."""
    assert (ROOT / "docs" / "errors.md").read_text(encoding="utf-8") == errors_markdown()
    assert {cls.code for cls in tree()} == WHAT_TO_DO.keys()


@pytest.mark.requirement("docs:generated")
def test_every_published_schema_has_a_page_with_each_of_its_members() -> None:
    pages = schema_pages(SCHEMAS)
    for name, document in SHELF.documents.items():
        page = pages[f"reference/schemas/{name}.md"]
        members = cast("dict[str, object]", document.get("properties", {}))
        assert [member for member in members if f"| `{member}` |" not in page] == [], name
        assert f"({name}.md)" in pages["reference/schemas/index.md"]


@pytest.mark.requirement("docs:generated")
def test_the_example_of_a_schema_keeps_it_and_one_without_is_a_fault_that_names_it() -> None:
    for name, document in SHELF.documents.items():
        SHELF.validator(name).validate(example(document, SHELF, name))  # pyright: ignore[reportUnknownMemberType] - stubs leave it open
    odd: Node = {"$id": "urn:odd", "type": "string", "pattern": "^never like this$"}
    with pytest.raises(ValueError, match="never like this"):
        example(odd, Shelf({"odd": odd}), "odd")


@pytest.mark.requirement("docs:generated")
def test_the_library_page_has_every_public_call_with_what_it_raises() -> None:
    page = library_markdown()
    assert "### Voice.ask\n" in page
    assert "- `FeatureDisabled`: the inner voice is switched off" in page
    assert "### Sessions.fork\n" in page
    assert "### Removals.finalise\n" in page


@pytest.mark.requirement("docs:generated")
def test_the_page_of_requirements_names_the_tests_that_show_each() -> None:
    page = requirements_markdown(ROOT)
    assert "| `docs:generated` |" in page
    assert "`docs/test_reference.py`" in page


def test_what_points_out_of_the_docs_is_led_to_its_place_in_the_site() -> None:
    for where, page, led in TABLES["what_points_out_of_the_docs_is_led_to_its_place_in_the_site"]:
        assert outside("here", where, "#x", page) == led
