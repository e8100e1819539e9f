"""A row as both arms see it: in its context, and never with a name it may not show."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from retrieval_rows import entity, observation, relation, thought
from voice.core.records import Observation, Row
from voice.core.retrieval.searchable_text import indexed_text, mentioned_entities, spoken_date
from voice.core.text.instants import UNDATED

NAMES = {"e:ada": "Ada Lovelace", "e:acme": "Acme"}
MOVED = thought("a", "Moved house.")
ENTITY = replace(entity("ada", "Ada Lovelace", "my sister"), aliases=("Ada",))
RELATION = relation("a", "ada", "works_at", "acme", "since 2020")


def said(text: str, *entity_ids: str, speaker: str | None = None) -> Observation:
    return replace(observation("a", text), entity_ids=entity_ids, speaker=speaker)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (MOVED, "Moved house."),
        (replace(MOVED, speaker="Caroline"), "Caroline: Moved house."),
        (said("She moved.", "e:ada"), "She moved. (Ada Lovelace)"),
        (said("She moved.", "e:ada", speaker="Bob"), "Bob: She moved. (Ada Lovelace)"),
        (said("ADA LOVELACE moved.", "e:ada"), "ADA LOVELACE moved."),
        (said("They met.", "e:ada", "e:acme", "e:ada"), "They met. (Ada Lovelace, Acme)"),
        (said("She moved.", "e:unknown"), "She moved."),
        (ENTITY, "Ada Lovelace, Ada (person): my sister"),
        (RELATION, "Ada Lovelace works at Acme: since 2020"),
    ],
)
def test_a_row_is_indexed_with_its_day_its_speaker_and_the_names_it_leaves_out(row: Row, words: str) -> None:
    assert indexed_text(row, NAMES) == f"[5 March 2026] {words}"


def test_a_relation_whose_ends_may_not_show_is_indexed_without_them() -> None:
    assert indexed_text(RELATION, {}) == "[5 March 2026]  works at : since 2020"


@pytest.mark.parametrize(
    ("row", "ids"),
    [(MOVED, ()), (ENTITY, ()), (said("x", "e:ada", "e:acme"), ("e:ada", "e:acme")), (RELATION, ("e:ada", "e:acme"))],
)
def test_tells_whose_names_belong_to_a_row(row: Row, ids: tuple[str, ...]) -> None:
    assert mentioned_entities(row) == ids


def test_any_year_has_a_spoken_date() -> None:
    assert spoken_date(datetime(1, 1, 1, tzinfo=UTC)) == "1 January 1"
    assert spoken_date(datetime(9999, 12, 31, tzinfo=UTC)) == "31 December 9999"


@pytest.mark.requirement("ruling:I2")
def test_what_is_undated_is_indexed_without_a_date() -> None:
    assert indexed_text(replace(MOVED, created_at=UNDATED), {}) == "Moved house."
