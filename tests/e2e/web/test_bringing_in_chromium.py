"""What comes in, in a real browser: a note, a folder that is dropped or chosen, its undo, a setting; for everybody."""

from collections.abc import Generator
from pathlib import Path
from uuid import uuid4

import pytest
from playwright.sync_api import Page

from chromium import DESKTOP, IN_CHROMIUM, PHONE, Site, Watched, grave, overhang, site
from example_home import copied

pytestmark = IN_CHROMIUM
_DROPS = """(text) => {
  const transfer = new DataTransfer();
  transfer.items.add(new File([text], "dropped.md"));
  document.querySelector("[data-drop]").dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true }));
}"""


@pytest.fixture(scope="module")
def served(example_made: Path, tmp_path_factory: pytest.TempPathFactory) -> Generator[Site]:
    home = copied(example_made, tmp_path_factory.mktemp("bringing"))
    (home / "memory" / "voice.toml").write_text('# mine\n[owner]\nnames = "Irma"\n')
    with site(home) as running:
        yield running


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """A folder of notes that no other test has, and something that is none."""
    own = f"note {uuid4().hex[:6]}"
    folder = tmp_path / "vault"
    (folder / "deep").mkdir(parents=True)
    (folder / f"Kiln {own}.md").write_text(f"The kiln of {own} stands in the shed.\n")
    (folder / "deep" / f"Glaze {own}.md").write_text(f"The glaze of {own} is blue.\n")
    (folder / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    return folder


def _uploaded(watched: Watched, folder: Path) -> Page:
    page = watched.open("/import")
    page.set_input_files("#folder", str(folder))
    page.get_by_role("button", name="Upload and preview").click()
    page.get_by_role("heading", name="Import this?").wait_for()
    return page


@pytest.mark.requirement("web:add", "web:import", "web:import:undo", "web:accessible", "web:phone")
def test_a_note_and_a_folder_come_in_and_the_folder_goes_again(served: Site, vault: Path) -> None:
    with served.page(PHONE, scheme="dark", touch=True) as watched:
        page = watched.open("/add")
        assert (grave(page), overhang(page)) == ([], 0)
        page.fill("#text", f"The door of {vault.parent.name} is green.")
        page.get_by_role("button", name="Add the note").click()
        page.get_by_text("Stored; answers can cite 1 sentence.").wait_for()
        for path in ("/import", "/export"):
            assert (grave(watched.open(path)), overhang(watched.page)) == ([], 0)
        page = _uploaded(watched, vault)
        assert "To import: 2 thoughts." in page.inner_text("main")
        assert "deep/Glaze note" in page.inner_text("main"), "the folder's own paths came along"
        assert (grave(page), overhang(page)) == ([], 0)
        page.get_by_role("button", name="Import", exact=True).click()
        page.get_by_role("heading", name="Imported").wait_for()
        page.get_by_role("link", name="Undo this import").click()
        assert (grave(page), overhang(page)) == ([], 0)
        page.get_by_role("button", name="Undo the import of 2 notes").click()
        page.get_by_role("button", name="Restore these notes").click()
        page.get_by_role("heading", name="Imported").wait_for()
        assert watched.is_quiet()


@pytest.mark.requirement("web:import", "web:import:progress")
def test_what_is_dropped_is_uploaded_and_what_is_wrong_is_said_in_place(served: Site, tmp_path: Path) -> None:
    with served.page() as watched:
        page = watched.open("/import")
        page.get_by_role("button", name="Upload and preview").click()
        page.get_by_text("Choose at least one file.").wait_for()
        page.evaluate(_DROPS, f"The bell of {tmp_path.name} rings.\n")
        page.get_by_role("heading", name="Import this?").wait_for()
        assert f"The bell of {tmp_path.name} rings." in page.inner_text("main")
        page.get_by_role("button", name="Discard the upload").click()
        page.wait_for_url("**/import")
        assert watched.is_quiet()


@pytest.mark.requirement("web:import", "web:without-script")
def test_a_folder_comes_in_without_a_script(served: Site, vault: Path) -> None:
    with served.page(PHONE, script=False) as watched:
        page = _uploaded(watched, vault)
        assert "To import: 2 thoughts." in page.inner_text("main")
        page.get_by_role("button", name="Import", exact=True).click()
        page.get_by_role("heading", name="Imported").wait_for()


@pytest.mark.requirement("web:settings:change", "web:accessible", "web:phone")
def test_a_setting_is_changed_and_waits_for_the_next_start(served: Site) -> None:
    with served.page(DESKTOP) as watched:
        page = watched.open("/settings")
        page.get_by_label("Cap per day").fill("7.50")
        page.get_by_role("button", name="Save").click()
        page.get_by_text("After a restart: 7.50.").wait_for()
        assert (grave(page), overhang(page)) == ([], 0)
        page.get_by_label("Cap per day").fill("much")
        page.get_by_role("button", name="Save").click()
        page.get_by_text("Nothing was saved.").wait_for()
        assert (grave(page), overhang(page)) == ([], 0)
        assert ["422" in each for each in watched.said] == [True], "only that the form was refused"
