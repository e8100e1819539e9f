"""Hashes that were computed before (spec inner_voice.retrieve, Performance Notes)."""

from dataclasses import replace

import pytest

from retrieval_rows import entity, observation, relation, thought
from voice.core.records import Row
from voice.core.text.normalise import content_hash
from voice.services.retrieval import fetched_rows
from voice.services.retrieval.row_lookups import ContentHashes


@pytest.fixture
def hashed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the texts that are hashed from now on."""
    texts: list[str] = []

    def noting(text: str) -> str:
        texts.append(text)
        return content_hash(text)

    monkeypatch.setattr(fetched_rows, "content_hash", noting)
    return texts


@pytest.mark.requirement("s0:performance:hash-cache")
@pytest.mark.parametrize("row", [thought("1", "Rain."), observation("1", "Rain.")])
def test_a_row_that_stays_as_it_is_is_hashed_once(row: Row, hashed: list[str]) -> None:
    remember = ContentHashes()
    assert [remember(row, "Rain.") for _ in range(3)] == [content_hash("Rain.")] * 3
    assert hashed == ["Rain."]


@pytest.mark.requirement("s0:performance:hash-cache")
def test_a_row_that_says_something_else_is_hashed_again() -> None:
    remember, row = ContentHashes(), thought("1", "Rain.")
    later = replace(row, content="Sun.", revision=row.revision + 1)
    assert (remember(row, "Rain."), remember(later, "Sun.")) == (content_hash("Rain."), content_hash("Sun."))


@pytest.mark.requirement("s0:performance:hash-cache", "ruling:C19")
@pytest.mark.parametrize("row", [entity("a", "Ada"), relation("1", "a", "knows", "b")])
def test_what_depends_on_neighbours_is_hashed_every_time(row: Row) -> None:
    remember = ContentHashes()
    assert remember(row, "Ada (person)") == content_hash("Ada (person)")
    assert remember(row, "Ada (person); knows → Bo") == content_hash("Ada (person); knows → Bo")


@pytest.mark.requirement("s0:performance:hash-cache")
def test_the_row_that_was_used_longest_ago_is_forgotten_first(hashed: list[str]) -> None:
    remember = ContentHashes(most=2)
    for key in ("1", "2", "1", "3", "1", "2"):
        remember(thought(key, key), key)
    assert hashed == ["1", "2", "3", "2"]
