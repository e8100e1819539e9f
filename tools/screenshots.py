"""Takes the pictures of the pages that the documentation shows: `docs/img/*.png`.

    PYTHONPATH=src:tests python tools/screenshots.py

It serves the example memory with the offline provider, as the tests in Chromium do, and asks the same questions each
time; the clock stands where the example's questions are asked.
"""

import tempfile
from pathlib import Path
from typing import Literal

from chromium import Site, Watched, site

OUT = Path(__file__).resolve().parents[1] / "docs" / "img"
_WIDE = (1360, 840)
_PHONE = (390, 780)
_ANSWERED = "What does the restoration of the Bechstein cost and why did the price change?"
_CHALLENGED = "I would never tune a piano with an app."
_REFUSED = "Which marathon did I run in Porto?"


def main() -> None:
    """Write every picture, and say so."""
    OUT.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as home, site(Path(home)) as served:
        _conversation(served, "light", "web-chat")
        _conversation(served, "dark", "web-chat-dark")
        _refusal(served)
        _lists(served)
        _phone(served)


def _conversation(served: Site, scheme: Literal["light", "dark"], name: str) -> None:
    with served.page(_WIDE, scheme=scheme) as watched:
        watched.ask(_ANSWERED)
        page = watched.page
        page.check("input[value=challenge]", force=True)
        watched.ask(_CHALLENGED)
        page.evaluate("scrollTo(0, 0)")
        page.locator(".sentence-text").first.hover()
        page.locator("#evidence mark").first.wait_for()
        _take(watched, name)


def _refusal(served: Site) -> None:
    with served.page(_WIDE) as watched:
        watched.ask(_REFUSED)
        watched.page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
        _take(watched, "web-refusal")


def _lists(served: Site) -> None:
    with served.page(_WIDE) as watched:
        watched.open("/sessions")
        _take(watched, "web-sessions")


def _phone(served: Site) -> None:
    with served.page(_PHONE, scheme="dark") as watched:
        watched.ask(_ANSWERED)
        watched.page.locator(".sentence-text").first.hover()
        watched.page.locator("#evidence mark").first.wait_for()
        _take(watched, "web-phone")


def _take(watched: Watched, name: str) -> None:
    path = OUT / f"{name}.png"
    watched.page.screenshot(path=path)
    print(f"wrote docs/img/{name}.png, {path.stat().st_size // 1024} KiB")  # noqa: T201 - its output


if __name__ == "__main__":
    main()
