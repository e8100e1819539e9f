"""Settings and check-up in a browser: what is set and by whom, what is amiss, and what to do."""

import shutil
from collections.abc import Callable, MutableMapping
from pathlib import Path
from typing import cast

import anyio
import httpx
import pytest
from starlette.applications import Starlette

from desk_pages import desk, read
from played_turns import passed
from voice.core.settings.parse import parse_settings
from voice.entrypoints.web.pages.rendering import make_templates
from voice.entrypoints.web.pages.settings import SettingsPages
from voice.services.maintenance.doctor import prove_index


@pytest.mark.requirement("web:settings", "grounding:verifier:belief")
async def test_each_setting_is_shown_with_its_value_and_where_it_came_from_and_how_a_verifier_did(
    tmp_path: Path,
) -> None:
    async with desk(tmp_path) as page:
        shown = await page.text("/settings")
        page.services.calibrations.keep(passed("llm vendor/paid-1 verify.v3 abc", false_support=0.4))
        tested = await page.text("/settings")
    assert "retrieve.mix 0.6 the default Share of the graph" in shown
    assert "time.timezone Europe/Lisbon a command-line option" in shown
    assert "Time 1 set" in shown
    assert "llm.max_turn_cost not set the default" in shown, "without a unit"
    assert "Tested verifiers" not in shown
    assert "llm vendor/paid-1 verify.v3 abc let 40.0% of false claims pass" in tested
    assert "only sentences that quote your memory word for word count as proven" in tested


@pytest.mark.requirement("web:settings", "promise:6")
async def test_a_secret_is_told_as_set_and_nothing_more(tmp_path: Path) -> None:
    told = parse_settings({}, {"SURR_DB_PASS": "sk-very-secret"}, {"retrieve": {"mix": 7}})
    async with desk(tmp_path) as page:
        app = Starlette(routes=SettingsPages(page.memory, make_templates("UTC"), told).routes)
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://127.0.0.1") as browser:
            html = (await browser.get("/settings")).text
    assert "sk-very-secret" not in html
    assert "store.password set the environment" in read(html)
    assert "retrieve.mix 1.0 voice.toml" in read(html)
    assert told.warnings[0] in read(html)


@pytest.mark.requirement("web:doctor", "observe:doctor")
async def test_a_fault_comes_first_and_says_what_to_do(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        await page.memory.remember("The kiln moved to the shed.")
        healthy = await page.text("/doctor")
        (page.services.home / "key").chmod(0o644)
        shown = await page.text("/doctor")
    for words in ("No faults found", "index", "vectors", "clock", "settings", "provider"):
        assert words in healthy
    assert shown.index("fault key") < shown.index("OK home")
    assert "What to do: " in shown


@pytest.mark.requirement("web:doctor-steps")
async def test_each_look_of_the_check_up_is_shown_as_it_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[bytes] = []
    before_the_index: list[bytes] = []

    async def proving(*about: object) -> object:
        before_the_index.extend(sent)
        return await prove_index(*about)  # pyright: ignore[reportArgumentType]

    async def send(message: MutableMapping[str, object]) -> None:
        sent.append(cast("bytes", message.get("body", b"")))

    async def receive() -> MutableMapping[str, object]:
        await anyio.sleep_forever()
        raise AssertionError

    monkeypatch.setattr("voice.services.maintenance.doctor.prove_index", proving)
    async with desk(tmp_path) as page:
        await page.memory.remember("The kiln moved to the shed.")
        await page.services.index.refresh()
        app = Starlette(routes=SettingsPages(page.memory, make_templates("UTC")).routes)
        await app({**_SCOPE, "app": app}, receive, send)
    early = b"".join(before_the_index).decode()
    assert "Checking your memory" in early
    assert [name for name in ("home", "provider", "store", "encoder", "clock") if f"<li>{name} " not in early] == []
    assert "<li>index " not in early
    assert read(b"".join(sent).decode()).count("No faults found") == 1


_SCOPE: dict[str, object] = {
    "type": "http",
    "method": "GET",
    "path": "/doctor",
    "query_string": b"",
    "headers": [],
    "root_path": "",
    "server": ("127.0.0.1", 8423),
    "scheme": "http",
}


def _bytes_below(home: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(home.rglob("*")) if path.is_file()}


@pytest.mark.requirement("web:doctor-steps")
async def test_the_check_up_changes_nothing_on_the_disk_and_mends_no_damage(tmp_path: Path) -> None:
    async with desk(tmp_path, **{"store.url": "surrealkv://memory"}) as page:
        await page.memory.remember("The kiln moved to the shed.")
        (page.services.home / "key").chmod(0o644)
        before = _bytes_below(tmp_path)
        assert "not checked indexit was not opened yet" in await page.text("/doctor")
        assert _bytes_below(tmp_path) == before
        await page.services.index.refresh()
        before = _bytes_below(tmp_path)
        shown = await page.text("/doctor")
        assert "fault key" in shown
        assert "OK indexin step with the store: 2 rows counted" in shown
        assert _bytes_below(tmp_path) == before
        await page.memory.remember("The kiln is hot.")
        before = _bytes_below(tmp_path)
        assert "not checked indexit is 2 changes behind; the next search brings it up to date" in await page.text(
            "/doctor"
        )
        assert _bytes_below(tmp_path) == before


def _taken_away(home: Path) -> None:
    shutil.rmtree(home / "memory")


def _all_taken_away(home: Path) -> None:
    shutil.rmtree(home)


_GONE = "is missing: it was deleted, emptied or moved while"


@pytest.mark.requirement("web:doctor")
@pytest.mark.parametrize("meddle", [_taken_away, _all_taken_away])
async def test_the_check_up_of_a_memory_that_was_deleted_meanwhile_says_so_and_what_to_do(
    tmp_path: Path, meddle: Callable[[Path], None]
) -> None:
    home = tmp_path / "home"
    async with desk(home, **{"store.url": "surrealkv://memory"}) as page:
        await page.memory.remember("The kiln moved to the shed.")
        meddle(home)
        shown = await page.text("/doctor")
    assert "Faults found" in shown
    assert "fault store" in shown
    assert f"the store {home / 'memory'} {_GONE}" in shown
    recipe = "if it was moved, or restore a backup: voice maintain restore-backup FILE"
    assert f"What to do: close every program that uses it, then put the store back {recipe}" in shown
    assert (f"What to do: close every program that uses it, then put it back {recipe}" in shown) is (
        meddle is _all_taken_away
    )
    assert ("2 faults, " if meddle is _all_taken_away else "1 fault, ") in shown
    assert "OK prompts" in shown
    assert "voice init" not in shown, "a new memory is not what brings this one back"
    assert (f"fault home{home} no longer exists" in shown) is (meddle is _all_taken_away)


@pytest.mark.requirement("web:errors")
async def test_every_other_page_of_a_memory_that_was_deleted_meanwhile_says_so_and_leads_to_the_check_up(
    tmp_path: Path,
) -> None:
    home = tmp_path / "home"
    async with desk(home, **{"store.url": "surrealkv://memory"}) as page:
        await page.memory.remember("The kiln moved to the shed.")
        assert "Check this memory" not in await page.html("/sources/t:nobody", 404)
        _all_taken_away(home)
        for path in ("/", "/sessions", "/sources", "/sources/t:1", "/review", "/graph", "/pins", "/reports"):
            shown = await page.html(path, 500)
            assert _GONE in read(shown), path
            assert '<a href="/doctor">Check this memory</a>' in shown
