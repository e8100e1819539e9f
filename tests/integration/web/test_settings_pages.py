"""Settings and check-up in a browser: what is set and by whom, what is amiss, and what to do."""

from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette

from desk_pages import desk, read
from voice.core.settings.parse import parse_settings
from voice.entrypoints.web.pages.rendering import make_templates
from voice.entrypoints.web.pages.settings import SettingsPages

pytestmark = pytest.mark.anyio


@pytest.mark.requirement("web:settings")
async def test_each_setting_is_shown_with_its_value_and_where_it_came_from(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        shown = await page.text("/settings")
    assert "retrieve.mix 0.6 the default Share of KG rows" in shown
    assert "time.timezone Europe/Lisbon an option of the command" in shown


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
async def test_the_check_up_tells_the_gravest_first_with_what_to_do(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        await page.memory.remember("The kiln moved to the shed.")
        healthy = await page.text("/doctor")
    assert "This memory is in order" in healthy
    for name in ("index", "vectors", "clock", "settings", "provider"):
        assert name in healthy


@pytest.mark.requirement("web:doctor")
async def test_a_fault_comes_first_and_says_what_to_do(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        (page.services.home / "key").chmod(0o644)
        shown = await page.text("/doctor")
    assert shown.index("fault key") < shown.index("in order home")
    assert "What to do: " in shown
