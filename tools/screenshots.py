"""Takes the pictures of the pages that the documentation shows: `docs/img/*.png`, and `taken.json` beside them.

    make pictures

It serves the example memory with the offline provider, as the tests in Chromium do, and asks the same questions each
time; the clock stands where the example's questions are asked. `taken.json` says what the pages looked like: a test
holds it against how they look today (`tests/docs/test_pictures.py`).
"""

import asyncio
import json
import shutil
import tempfile
from pathlib import Path

from chromium import Site, Watched, site
from desk_memory import prepare
from taken_pictures import IMAGES, Taken, looks_of

_WIDE = (1360, 840)
_PHONE = (390, 780)
_ANSWERED = "What does the restoration of the Bechstein cost and why did the price change?"
_CHALLENGED = "I would never tune a piano with an app."
_REFUSED = "Which marathon did I run in Porto?"
_FOUND = "the restoration of the Bechstein"


def main() -> None:
    """Write every picture and what was taken, and say so; a picture that is taken no more goes."""
    IMAGES.mkdir(exist_ok=True)
    for old in IMAGES.glob("*.png"):
        old.unlink()
    with tempfile.TemporaryDirectory() as home, site(Path(home)) as served:
        _session(served)
        _refusal(served)
        _phone(served)
        _plain(served, "/sessions", "web-sessions")
    _desk(Path(tempfile.gettempdir()) / "piano-tuner")
    taken = Taken(pictures=sorted(each.stem for each in IMAGES.glob("*.png")), looks=looks_of())
    (IMAGES / "taken.json").write_text(json.dumps(taken, indent=2) + "\n", encoding="utf-8")


def _desk(home: Path) -> None:
    """Take the pictures of the desk; two of them show where the memory is, so it always is at the same place."""
    home.mkdir()
    try:
        asyncio.run(prepare(home / "memory"))
        with site(home) as served:
            _sources(served)
            _plain(served, "/review?kind=entity", "desk-review", "document.querySelector('.candidate').focus()")
            _plain(served, "/graph/e%3Aclavichord?depth=2", "desk-picture")
            _plain(served, "/reports", "desk-reports")
            _plain(served, "/settings", "desk-settings", "document.getElementById('g-retrieve').scrollIntoView()")
            _plain(served, "/doctor", "desk-doctor")
    finally:
        shutil.rmtree(home)


def _session(served: Site) -> None:
    with served.page(_WIDE) as watched:
        watched.ask(_ANSWERED)
        page = watched.page
        page.check("input[value=challenge]", force=True)
        watched.ask(_CHALLENGED)
        page.evaluate("scrollTo(0, 0)")
        _point_at_the_first_sentence(watched)
        _take(watched, "web-chat")


def _point_at_the_first_sentence(watched: Watched) -> None:
    sentence = watched.page.locator(".sentence-text").first
    sentence.hover()
    # The pointer may have rested on another sentence before, whose evidence is there already.
    watched.page.locator(".evidence-said", has_text=sentence.inner_text()).wait_for()


def _refusal(served: Site) -> None:
    with served.page(_WIDE) as watched:
        watched.ask(_REFUSED)
        watched.page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
        _take(watched, "web-refusal")


def _phone(served: Site) -> None:
    with served.page(_PHONE, scheme="dark") as watched:
        watched.ask(_ANSWERED)
        watched.page.evaluate("document.querySelector('.turn').scrollIntoView()")
        _point_at_the_first_sentence(watched)
        _take(watched, "web-phone")


def _sources(served: Site) -> None:
    with served.page(_WIDE) as watched:
        page = watched.open("/sources")
        page.fill("#words", _FOUND)
        page.keyboard.press("Enter")
        page.locator(".entry").first.wait_for()
        _take(watched, "desk-sources")
        page.locator(".entry a").first.click()
        page.locator("#answers ol, #answers > p:not(:has(a))").first.wait_for()
        _take(watched, "desk-source")


def _plain(served: Site, path: str, name: str, first: str = "") -> None:
    with served.page(_WIDE) as watched:
        page = watched.open(path)
        if first:
            page.evaluate(first)
        _take(watched, name)


def _take(watched: Watched, name: str) -> None:
    path = IMAGES / f"{name}.png"
    watched.page.screenshot(path=path)
    print(f"wrote docs/img/{name}.png, {path.stat().st_size // 1024} KiB")  # noqa: T201 - its output


if __name__ == "__main__":
    main()
