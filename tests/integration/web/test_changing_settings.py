"""Settings that are changed in the page: through voice.toml, all of a form or nothing."""

import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette

from desk_pages import desk, read
from voice.adapters.system.config_file import read_config
from voice.core.settings.parse import SettingsResult, parse_settings
from voice.entrypoints.web.pages.rendering import make_templates
from voice.entrypoints.web.pages.settings import SettingsPages
from voice.entrypoints.web.pages.settings_form import LABELS

_TOML = '# mine\n[owner]\nnames = "Irma"\n\n[llm]\n# the model\nmodel = "small-1"\nmax_day_cost = "0.50"\n'


@asynccontextmanager
async def browsed(
    home: Path, told: SettingsResult | None = None, toml: str | None = _TOML
) -> AsyncGenerator[httpx.AsyncClient]:
    """Open the settings of a memory that has a voice.toml."""
    async with desk(home) as page:
        if toml is not None:
            (home / "voice.toml").write_text(toml)
        result = told or parse_settings({}, {}, read_config(home / "voice.toml"))
        app = Starlette(routes=SettingsPages(page.memory, make_templates("UTC"), result).routes)
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(
            transport=transport, base_url="http://127.0.0.1", follow_redirects=True
        ) as browser:
            yield browser


def fields_in(html: str) -> dict[str, str]:
    """Return what the form of a page would send as it stands, as far as its fields are typed in."""
    found = re.findall(r'<input[^>]* name="((?:set|was)\.[a-z_.]+)"[^>]*? value="([^"]*)"', html)
    return dict(found)


@pytest.mark.requirement("web:settings:change")
async def test_what_is_changed_is_one_line_of_the_file_and_said_to_wait_for_the_next_start(tmp_path: Path) -> None:
    async with browsed(tmp_path) as browser:
        form = fields_in((await browser.get("/settings")).text)
        assert (form["set.owner.names"], form["set.llm.max_day_cost"]) == ("Irma", "0.50")
        saved = await browser.post("/settings", data=form | {"set.owner.names": "Irma Sauer, Irma"})
        text = (tmp_path / "voice.toml").read_text()
        again = read((await browser.get("/settings")).text)
    assert text == _TOML.replace('names = "Irma"', 'names = "Irma Sauer, Irma"')
    assert "Restart voice serve to apply it here" in read(saved.text)
    assert "Now: Irma. After a restart: Irma Sauer, Irma." in again


@pytest.mark.requirement("web:settings:change")
async def test_an_emptied_field_is_the_default_again_and_a_choice_is_written(tmp_path: Path) -> None:
    async with browsed(tmp_path) as browser:
        form = fields_in((await browser.get("/settings")).text)
        new = {"set.llm.max_day_cost": "", "set.grounding.single_source": "green", "was.grounding.single_source": ""}
        saved = await browser.post("/settings", data=form | new)
        result = parse_settings({}, {}, read_config(tmp_path / "voice.toml"))
    assert (result.settings.llm.max_day_cost, result.settings.grounding.single_source) == (None, "green")
    assert "Now: 0.50. After a restart: not set." in read(saved.text)


@pytest.mark.requirement("web:settings:change", "web:errors")
async def test_of_a_form_with_a_fault_nothing_is_written_and_what_was_typed_stays(tmp_path: Path) -> None:
    async with browsed(tmp_path) as browser:
        form = fields_in((await browser.get("/settings")).text)
        for name, value, words in (
            ("time.timezone", "Mars/Olympus", "zone"),
            ("llm.max_turn_cost", "much", "must be a sum of money"),
            ("verifier.name", "two words", "must be a plain name"),
            ("grounding.single_source", "perhaps", "must be one of off, green"),
        ):
            refused = await browser.post("/settings", data=form | {f"set.{name}": value, "set.owner.names": "Else"})
            assert (refused.status_code, (tmp_path / "voice.toml").read_text()) == (422, _TOML)
            assert words in read(refused.text)
            assert 'value="Else"' in refused.text


@pytest.mark.requirement("web:settings:change")
async def test_what_the_environment_sets_is_shown_as_that_and_not_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SURR_INNER_VOICE_MODEL", "large-2")
    told = parse_settings({}, {"SURR_INNER_VOICE_MODEL": "large-2"}, {"llm": {"model": "small-1"}})
    async with browsed(tmp_path, told) as browser:
        html = (await browser.get("/settings")).text
        assert "set.llm.model" not in html
        assert "Set by SURR_INNER_VOICE_MODEL in the environment; change it there." in read(html)
        refused = await browser.post("/settings", data={"set.llm.model": "other", "was.llm.model": "small-1"})
        assert (refused.status_code, (tmp_path / "voice.toml").read_text()) == (422, _TOML)
        assert (await browser.post("/settings", data={"set.owner.names": "Else"})).status_code == 200
        assert 'names = "Else"' in (tmp_path / "voice.toml").read_text()


@pytest.mark.requirement("web:settings:change", "promise:6")
async def test_no_secret_and_nothing_else_than_what_is_offered_is_written(tmp_path: Path) -> None:
    assert not [name for name in LABELS if "key" in name or "password" in name]
    async with browsed(tmp_path) as browser:
        sent = {"set.llm.api_key": "sk-secret", "set.gate.enabled": "0", "set.privacy.allow_private_remote": "1"}
        await browser.post("/settings", data=sent)
        assert (tmp_path / "voice.toml").read_text() == _TOML
        await browser.post("/settings", data=sent | {"set.llm.model": "other"})
        assert 'model = "other"' in (tmp_path / "voice.toml").read_text()
        assert "sk-secret" not in (tmp_path / "voice.toml").read_text()


@pytest.mark.requirement("web:settings:change")
async def test_where_there_is_no_file_it_says_how_one_is_made(tmp_path: Path) -> None:
    async with browsed(tmp_path, toml=None) as browser:
        html = (await browser.get("/settings")).text
        refused = await browser.post("/settings", data={"set.owner.names": "Else"})
    assert "To create it, run voice init" in read(html)
    assert (refused.status_code, "To create it, run voice init" in read(refused.text)) == (500, True)
    assert not (tmp_path / "voice.toml").exists()
