"""The page of pairs that cannot both hold, without a script."""

import re
from pathlib import Path

import pytest

from desk_pages import Desk, desk, read
from played_turns import tell
from voice.core.records import Observation, Origin, RowStatus
from voice.services.graph.conflicts import ConflictRequest

pytestmark = pytest.mark.requirement("conflicts:page")
PATH = "/review/conflicts"
HOT, HOTTER = "The kiln in the shed fires at 1200 degrees.", "The kiln in the shed fires at 1250 degrees."


async def waiting(page: Desk) -> list[str]:
    return [each.id for each in (await page.services.conflicts.waiting(include_private=True)).conflicts]


async def test_nothing_is_looked_for_until_a_person_asks(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        await tell(page.services, HOT, HOTTER)
        before = await page.text(PATH)
        assert await waiting(page) == []
        nothing = await page.send(PATH, about="zither")
        back = await page.send(PATH, about="kiln")
        shown = read(back.text)
        queue = await page.text("/review")
    assert "Nothing waits for your decision" in before
    assert "It does not find conflicts that are worded differently." in read(nothing.text)
    assert str(back.url).endswith("?looked=1"), "what was looked for stands in no address"
    assert (HOT in shown, HOTTER in shown, "they differ in a number" in shown) == (True, True, True)
    assert "1 conflict" in queue


@pytest.mark.parametrize(("deed", "left"), [("right-1", 1), ("ended-2", 2), ("both", 2)])
async def test_a_pair_is_settled_by_one_of_three_acts(tmp_path: Path, deed: str, left: int) -> None:
    async with desk(tmp_path) as page:
        await tell(page.services, HOT, HOTTER)
        await page.send(PATH)
        (pair,) = await waiting(page)
        shown = await page.send(f"{PATH}/{pair}", deed=deed, sure_of="another set")
        assert "Nothing has changed yet." in read(shown.text)
        assert "so nothing was done" in read(shown.text)
        assert len(await waiting(page)) == 1
        (sure_of,) = re.findall('name="sure_of" value="([^"]+)"', shown.text)
        after = await page.send(f"{PATH}/{pair}", deed=deed, sure_of=sure_of)
        again = await page.services.conflicts(ConflictRequest())
        said = {each.text for each in await said_now(page)}
    assert "No conflicts" in read(after.text)
    assert (again.total, again.agreed) == (0, 1 if deed == "both" else 0)
    assert len(said) == left


async def said_now(page: Desk) -> list[Observation]:
    found = [each.row for each in await page.services.store.changes(0, 1_000)]
    return [row for row in found if isinstance(row, Observation) and row.status is RowStatus.ACTIVE]


async def test_private_ones_are_shown_where_they_are_asked_for_alone(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        await tell(page.services, HOT)
        await tell(page.services, HOTTER, is_private=True, origin=Origin.HUMAN)
        none = await page.send(PATH)
        some = await page.send(PATH, private="1")
        hidden = await page.text(PATH)
    assert HOTTER not in read(none.text)
    assert HOTTER in read(some.text)
    assert HOTTER not in hidden


async def test_what_cannot_be_is_told_above_the_list(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        await tell(page.services, HOT, HOTTER)
        await page.send(PATH)
        refused = await page.send(f"{PATH}/d:nothing", deed="both")
        wrong = await page.send(PATH, since="blue")
        assert refused.status_code == 404
        assert HOT in read(refused.text)
        assert wrong.status_code == 422
        assert len(await waiting(page)) == 1
        assert re.search("there is no conflict", read(refused.text))
