"""A note of a vault as it reads: what is shown is kept, and where links stand is known."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interchange_values import thought_of
from tables import tables
from voice.core.interchange.foreign.vault import OfferedEntity, is_day, offers_of, read_vault_text
from voice.core.interchange.memory_lines import LinkedNote, NoteLink, ThoughtLine
from voice.core.records import Provenance

TABLES = tables(__file__)


@pytest.mark.parametrize(("source", "shown", "targets", "tags"), TABLES["a_note_reads_as_it_is_shown"])
def test_a_note_reads_as_it_is_shown(
    source: str, shown: str, targets: tuple[str, ...] | None, tags: tuple[str, ...] | None
) -> None:
    read = read_vault_text(source)
    found = tuple(link.target for link in read.links)
    assert (read.text, found, read.tags) == (
        shown,
        found if targets is None else targets,
        read.tags if tags is None else tags,
    )


_SOURCES = st.text(alphabet="[]|#^!%`~>= \nab./-💡", max_size=60)


@given(_SOURCES)
def test_any_text_is_read_and_every_link_lies_in_what_comes_out(source: str) -> None:
    read = read_vault_text(source)
    assert read.text == read.text.strip("\n").rstrip()
    for link in read.links:
        assert 0 <= link.start <= link.end
        assert link.target


@given(st.lists(st.sampled_from(["[[Irma]]", "[[Kiln|the kiln]]", " and ", "![[x.png]]", "\n", "%%x%%", "word"])))
def test_what_stands_at_a_link_is_its_text(parts: list[str]) -> None:
    read = read_vault_text("".join(parts))
    shown = {"Irma": "Irma", "Kiln": "the kiln"}
    assert [read.text[link.start : link.end] for link in read.links] == [shown[link.target] for link in read.links]


@pytest.mark.requirement("ruling:F.5")
def test_links_are_offered_as_relations_with_the_places_where_they_stand() -> None:
    thought = thought_of(ThoughtLine(content="Irma\n\nFires the kiln. Kiln!", source_ref="Irma.md"))
    links = (
        NoteLink(target="Kiln", start=16, end=20),
        NoteLink(target="kiln", start=22, end=26),
        NoteLink(target="Irma", start=0, end=4),
        NoteLink(target="2025-03-01", start=0, end=0),
    )
    offers = offers_of(LinkedNote(name="Irma", aliases=("Irmchen",), links=links), thought)
    (relation,) = offers.relations
    assert (relation.source, relation.rel_type, relation.target) == ("Irma", "links_to", "Kiln")
    assert [(span.start, span.end) for span in relation.mentions] == [(16, 20), (22, 26)]
    itself = Provenance(thought_id=thought.id, start=0, end=4)
    assert offers.entities == (OfferedEntity(name="Irma", aliases=("Irmchen",), mentions=(itself,)),)
    assert (offers + offers).relations == (relation, relation)


@pytest.mark.requirement("ruling:I5:links")
def test_a_page_of_a_diary_offers_what_it_links_and_no_page_a_day() -> None:
    thought = thought_of(ThoughtLine(content="Saw the kiln, as on 2025-02-28."))
    links = (NoteLink(target="Kiln", start=8, end=12), NoteLink(target="2025-02-28", start=20, end=30))
    found = offers_of(LinkedNote(name="2025-03-01", aliases=("Saturday",), links=links), thought)
    assert [(each.source, each.target) for each in found.relations] == [("2025-03-01", "Kiln")]
    assert found.entities == ()
    assert offers_of(LinkedNote(name="Kiln"), thought).entities == ()
    (named,) = offers_of(LinkedNote(name="Kiln", aliases=("oven",)), thought).entities
    assert named.mentions[0].end == 0


def test_a_page_of_a_diary_is_known_by_its_name_and_a_name_with_a_day_in_it_is_none() -> None:
    assert [name for name in (*TABLES["days"], *TABLES["no_days"]) if is_day(name)] == TABLES["days"]


@pytest.mark.requirement("ruling:I5:links")
def test_a_name_behind_an_at_sign_is_a_handle_and_an_address_is_none() -> None:
    text = "With @Anna_Lund and @Kiln, not ada@kiln.org, https://x.org/@ada or @kiln.org; @Kiln again."
    links = (NoteLink(target="Kiln", start=20, end=25),)
    thought = thought_of(ThoughtLine(content=text, source_ref="Shed.md"))
    found = offers_of(LinkedNote(name="Shed", links=links), thought).relations
    assert [(each.target, each.is_handle) for each in found] == [("Kiln", False), ("Anna Lund", True)]
    assert [len(each.mentions) for each in found] == [1, 1]
