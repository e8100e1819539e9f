"""A row as both arms see it: in its context, and never with a name it may not show."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from voice.core.records import Entity, Observation, Origin, Relation, Row, Thought
from voice.core.retrieval.searchable_text import indexed_text, mentioned_entities, spoken_date
from voice.core.text.instants import UNDATED

AT = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
NAMES = {"e:ada": "Ada Lovelace", "e:acme": "Acme"}


def thought(speaker: str | None = None) -> Thought:
    return Thought(
        id="t:a", created_at=AT, recorded_at=AT, origin=Origin.HUMAN, content="Moved house.", speaker=speaker
    )


def observation(text: str, *entity_ids: str, speaker: str | None = None) -> Observation:
    return Observation(
        id="o:a", created_at=AT, recorded_at=AT, origin=Origin.HUMAN, text=text, entity_ids=entity_ids, speaker=speaker
    )


ENTITY = Entity(
    id="e:ada", created_at=AT, recorded_at=AT, origin=Origin.HUMAN,
    name="Ada Lovelace", entity_type="person", description="my sister", aliases=("Ada",),
)  # fmt: skip
RELATION = Relation(
    id="r:a", created_at=AT, recorded_at=AT, origin=Origin.HUMAN,
    source_id="e:ada", target_id="e:acme", rel_type="works_at", description="since 2020",
)  # fmt: skip


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (thought(), "Moved house."),
        (thought("Caroline"), "Caroline: Moved house."),
        (observation("She moved.", "e:ada"), "She moved. (Ada Lovelace)"),
        (observation("She moved.", "e:ada", speaker="Bob"), "Bob: She moved. (Ada Lovelace)"),
        (observation("ADA LOVELACE moved.", "e:ada"), "ADA LOVELACE moved."),
        (observation("They met.", "e:ada", "e:acme", "e:ada"), "They met. (Ada Lovelace, Acme)"),
        (observation("She moved.", "e:unknown"), "She moved."),
        (ENTITY, "Ada Lovelace, Ada (person): my sister"),
        (RELATION, "Ada Lovelace works at Acme: since 2020"),
    ],
)
def test_a_row_is_indexed_with_its_day_its_speaker_and_the_names_it_leaves_out(row: Row, words: str) -> None:
    assert indexed_text(row, NAMES) == f"[8 May 2023] {words}"


def test_a_relation_whose_ends_may_not_show_is_indexed_without_them() -> None:
    assert indexed_text(RELATION, {}) == "[8 May 2023]  works at : since 2020"


@pytest.mark.parametrize(
    ("row", "ids"),
    [
        (thought(), ()),
        (ENTITY, ()),
        (observation("x", "e:ada", "e:acme"), ("e:ada", "e:acme")),
        (RELATION, ("e:ada", "e:acme")),
    ],
)
def test_tells_whose_names_belong_to_a_row(row: Row, ids: tuple[str, ...]) -> None:
    assert mentioned_entities(row) == ids


def test_any_year_has_a_spoken_date() -> None:
    assert spoken_date(datetime(1, 1, 1, tzinfo=UTC)) == "1 January 1"
    assert spoken_date(datetime(9999, 12, 31, tzinfo=UTC)) == "31 December 9999"


@pytest.mark.requirement("ruling:I2")
def test_what_is_undated_is_indexed_without_a_date() -> None:
    assert indexed_text(replace(thought(), created_at=UNDATED), {}) == "Moved house."
