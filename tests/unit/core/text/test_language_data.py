"""The tables of words: each list says what it is for, and is read by something."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast

import pytest

import voice
from voice.core.text.language_data import entries, every_phrase, every_word, language_tables, opening_phrase

ROOT = Path(voice.__file__).parent
AREAS = sorted(path.stem for path in (ROOT / "data" / "language").glob("*.toml"))
_SAID = re.compile(r"^# ([a-z_]+(?:, [a-z_]+)*)  ", re.MULTILINE)


def _tables(area: str) -> Iterator[Mapping[str, object]]:
    """Yield the tables of an area; those of a language that has several, one by one."""
    for table in language_tables(area).values():
        inner = [cast("Mapping[str, object]", each) for each in table.values() if isinstance(each, Mapping)]
        yield from inner if len(inner) == len(table) > 1 else [table]


@pytest.mark.parametrize("area", AREAS)
def test_every_list_is_described_at_the_head_of_its_file_and_read_by_the_program(area: str) -> None:
    head = (ROOT / "data" / "language" / f"{area}.toml").read_text("utf-8").partition("\n[")[0]
    described = {name for found in _SAID.findall(head) for name in found.split(", ")}
    lists = {key for table in _tables(area) for key in table}
    assert lists == described
    code = "\n".join(path.read_text("utf-8") for path in (ROOT / "core").rglob("*.py"))
    assert [name for name in sorted(lists) if f'"{name}"' not in code] == []


def test_words_are_found_as_they_are_compared_and_phrases_whole_and_in_any_case() -> None:
    assert "größte" not in every_word("questions", "asking")
    assert {"gross", "heavy"} <= every_word("questions", "asking")
    assert "№" in entries("identifiers", "signs")
    assert every_phrase("answer_types", "number").search("So HOW MANY are there?")
    assert not every_phrase("answer_types", "number").search("Show many of them")
    assert opening_phrase("follow_ups", "opens").match("… what about Tom?")
    assert not opening_phrase("follow_ups", "opens").match("I ask what about Tom.")


def test_a_list_that_no_language_has_is_a_mistake_and_not_an_empty_one() -> None:
    with pytest.raises(KeyError, match="no list askings"):
        every_word("questions", "askings")
