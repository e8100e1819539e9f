"""Finding: the very words in rows and in turns, and what came from a file or folder."""

import re
from pathlib import Path

import pytest

from desk_pages import Desk, desk, read
from voice.core.graph.removal.forget_cascade import Act, ForgetRequest
from voice.core.records import Origin
from voice.services.memory.ingest_values import NewThought

SHED = "The kiln moved to the shed."
TWO = "Two kilns stand in the yard."
SECRET = "The kiln is a secret of the lease."


async def _found(page: Desk, **fields: str) -> str:
    got = await page.send("/sources", **{"how": "words", **fields})
    assert got.status_code == 200, read(got.text)
    return got.text


@pytest.mark.requirement("web:sources:literal")
async def test_the_very_words_are_found_and_marked_and_stand_in_no_address(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        for text in (SHED, TWO):
            await page.memory.remember(text)
        got = await page.send("/sources", how="words", words='"kiln moved"', kind="thoughts")
        near = read((await page.send("/sources", words="kiln", kind="thoughts")).text)
    assert "kiln" not in str(got.url)
    assert "<mark>kiln moved</mark>" in got.text
    assert TWO not in read(got.text)
    assert "1 source, newest first" in read(got.text)
    assert TWO in near, "by meaning its word is the same one"


@pytest.mark.requirement("web:sources:literal", "promise:6")
async def test_neither_private_nor_forgotten_nor_redacted_rows_are_found_or_counted(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        await page.memory.remember(SHED)
        await page.memory.remember(SECRET, is_private=True)
        kept = [await page.memory.remember(f"Kiln {number} is for sale.") for number in (1, 2)]
        before = read(await _found(page, words="kiln", kind="thoughts", standing="every"))
        acts: tuple[Act, ...] = ("forget", "redact")
        for each, act in zip(kept, acts, strict=True):
            await page.services.forget(ForgetRequest(ids=frozenset(each.stored)), act)
        without = read(await _found(page, words="kiln", kind="thoughts", standing="every"))
        with_them = read(await _found(page, words="kiln", kind="thoughts", private="1"))
    assert ("Kiln 1" in before, "Kiln 2" in before, "3 sources," in before) == (True, True, True)
    assert ("lease" in without, "1 source," in without, "rows not shown" in without) == (False, True, False)
    assert "for sale" not in without
    assert ("lease" in with_them, "2 sources," in with_them) == (True, True)


@pytest.mark.requirement("web:sources:path")
async def test_a_path_narrows_with_words_and_alone(tmp_path: Path) -> None:
    notes = {"Garden/Gate.md": "The gate of the garden squeaks.", "Kiln.md": "The gate of the kiln."}
    async with desk(tmp_path) as page:
        await page.services.ingest.remember(
            [NewThought(content=text, origin=Origin.HUMAN, source_ref=name) for name, text in notes.items()]
        )
        for how in ("words", "near"):
            both = read(await _found(page, how=how, words="gate"))
            one = read(await _found(page, how=how, words="gate", place="garden"))
            alone = read(await _found(page, how=how, place="Garden/Gate.md"))
            assert "of the kiln" in both
            assert ("squeaks" in one, "of the kiln" in one) == (True, False)
            assert ("squeaks" in alone, "of the kiln" in alone) == (True, False)


@pytest.mark.requirement("web:sources:literal", "promise:6")
async def test_turns_are_found_by_their_words_private_ones_when_asked_for_and_deleted_ones_never(
    tmp_path: Path,
) -> None:
    async with desk(tmp_path) as page:
        await page.memory.remember(SHED)
        await page.memory.remember(SECRET, is_private=True)
        await page.send("/ask", question="Where is the kiln?")
        await page.send("/ask", question="What about the secret lease?", private="1")
        found = await _found(page, words="kiln", kind="turns")
        without = read(await _found(page, words="lease", kind="turns"))
        with_them = read(await _found(page, words="lease", kind="turns", private="1"))
        link = re.search(r'href="(/sessions/[^"]+#turn-1)"', found)
        assert link is not None
        turn = await page.text(link[1].partition("#")[0])
        for session in await page.services.life.listed(limit=9):
            await page.services.life.delete(session.id)
        after = read(await _found(page, words="kiln", kind="turns"))
    assert "Where is the <mark>kiln</mark>?" in found
    assert "No turns found" in without
    assert "What about the secret lease?" in with_them
    assert "Where is the kiln?" in turn
    assert "No turns found" in after


@pytest.mark.requirement("web:sources:literal")
async def test_a_filter_that_turns_cannot_have_is_named_and_the_time_is_told(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        await page.send("/ask", question="Where is the zebra?")
        filters = ({"how": "near"}, {"tags": "zoo"}, {"place": "Garden"}, {"standing": "past"}, {"when": "1999"})
        told = [read(await _found(page, words="zebra", kind="turns", **each)) for each in filters]
    assert ["Where is the zebra?" in each for each in told] == [True, True, True, True, False]
    assert ["Turns have no tags, path or status" in each for each in told] == [False, True, True, True, False]
    assert ["does not search what was said by meaning" in each for each in told] == [True, *[False] * 4]
    assert "No question or answer of this time contains these words." in told[-1]


@pytest.mark.requirement("web:sources:literal")
async def test_what_cannot_be_looked_for_stands_beside_what_was_typed(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        for fields in ({"words": '"."'}, {"words": "kiln", "when": "the day after never"}):
            for kind in ("turns", "all"):
                got = await page.send("/sources", how="words", kind=kind, **fields)
                assert (got.status_code, "The request is not valid" in read(got.text)) == (422, True)
