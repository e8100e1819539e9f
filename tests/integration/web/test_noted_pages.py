"""The page of what programs noted, without a script."""

import re
from pathlib import Path

import pytest

from desk_pages import Desk, desk, read
from played_turns import tell
from voice.core.graph.thoughts.vouching import NotedFilter
from voice.core.records import Origin

pytestmark = pytest.mark.requirement("ruling:J2", "web:noted")
ZITHER = "The zither is mended by Ines Prates in Faro. The bill was 80 euros."
PATH = "/review/notes"


async def noted(page: Desk, *texts: str, by: str | None = "codex", **fields: object) -> tuple[str, ...]:
    return await tell(page.services, *texts, origin=Origin.TOOL, noted_by=by, **fields)


async def states(page: Desk) -> dict[str, str]:
    every = NotedFilter(vouched=None, include_private=True)
    return {each.id: str(each.vouched) for each in (await page.services.review.vouching.listed(every)).thoughts}


async def test_a_note_is_approved_whole_or_by_the_sentences_that_are_ticked(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        zither, quern = await noted(page, ZITHER, "The quern stands in the barn.")
        await page.send(f"{PATH}/{quern}", deed="approve")
        back = await page.send(f"{PATH}/{zither}", deed="approve", **{"sentence-2": "1"}, **{"from": "codex"})
        answer = await page.memory.ask("How much was the bill?")
        kept = await states(page)
        ticked = await page.html(f"{PATH}?state=partly")
    assert kept == {zither: "partly", quern: "approved"}
    assert str(back.url).endswith("?state=waiting&from=codex"), "a decision leads back to the list it was made in"
    assert "80 euros" in answer.exchange.answer
    assert 'name="sentence-2" value="1" checked' in ticked
    assert 'name="sentence-1" value="1">' in ticked


async def test_what_cannot_be_is_told_above_the_list(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        (own,) = await tell(page.services, "The kiln is hot.")
        (zither,) = await noted(page, ZITHER)
        for path, fields in ((own, {}), ("t:nothing", {}), (zither, {"sentence-9": "1"})):
            refused = await page.send(f"{PATH}/{path}", deed="approve", **fields)
            assert refused.status_code in (404, 422), refused.status_code
            assert "The zither" in refused.text
        assert await states(page) == {zither: "waiting"}
        await page.html(f"{PATH}?since=blue", 422)


async def test_all_that_a_filter_shows_is_decided_in_one_act_once_it_is_confirmed(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        ids = await noted(page, *(f"Fact number {at} is told." for at in range(5)))
        (other,) = await noted(page, "The samovar is from Tula.", by="gemini-cli")
        asked = {"deed": "approve", "from": "codex", "since": "this week"}
        shown = await page.send(PATH, **asked)
        digest = re.search(r'name="sure_of" value="(\w+)"', shown.text)
        assert digest
        assert "Approve 5 notes?" in read(shown.text)
        assert "Fact number 3 is told." in read(shown.text)
        assert set((await states(page)).values()) == {"waiting"}, "nothing is done before it is confirmed"
        await page.send(PATH, **asked, sure_of=digest[1])
        assert await states(page) == {**dict.fromkeys(ids, "approved"), other: "waiting"}


async def test_what_came_since_it_was_shown_is_not_decided_on(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        none = await page.html("/review")
        (zither,) = await noted(page, ZITHER)
        some = await page.text("/review")
        shown = await page.send(PATH, deed="decline")
        digest = re.search(r'name="sure_of" value="(\w+)"', shown.text)
        assert digest
        await noted(page, "The quern stands in the barn.")
        again = await page.send(PATH, deed="decline", sure_of=digest[1])
        assert "The list has changed since you looked" in read(again.text)
        assert set((await states(page)).values()) == {"waiting"}
        after = await page.send(f"{PATH}/{zither}", deed="decline")
        assert (await states(page))[zither] == "declined"
        assert "The zither" not in read(after.text)
        assert "The zither" in await page.text(f"{PATH}?state=declined")
    assert (PATH in none, "1 note from programs waits" in some) == (True, True)


@pytest.mark.requirement("promise:6")
async def test_private_notes_show_only_where_they_are_asked_for(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        await noted(page, "The safe is open.", is_private=True)
        public = await page.text(PATH)
        assert "1 private note not shown." in public
        assert "The safe" not in public
        assert "waits, too" not in await page.text("/review")
        assert "The safe is open." in await page.text(f"{PATH}?private=1")
