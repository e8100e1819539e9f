"""Pages in a real browser: the server of `page_server` in a process of its own, and Debian's Chromium without a window.

Every page that is opened is watched: what it says on the console, what it throws, and whom it asks for what.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, cast
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

CHROMIUM = shutil.which("chromium")
IN_CHROMIUM = [
    pytest.mark.xdist_group("chromium"),
    pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed"),
]
DESKTOP = (1280, 860)
PHONE = (360, 740)
PATIENCE_MS = 120_000
"""How long a page may take to come to rest: a browser beside other tests on two busy cores gets a turn now and then."""
_ROOT = Path(__file__).resolve().parents[1]
_HERE = ("PATH", "LANG", "LC_ALL", "TMPDIR")


@dataclass(slots=True)
class Watched:
    """A page with what was seen of it."""

    page: Page
    base: str
    said: list[str] = field(default_factory=list[str])
    """Errors and warnings on the console, and what was thrown."""
    asked_elsewhere: list[str] = field(default_factory=list[str])

    def is_quiet(self) -> bool:
        """Return whether nothing was said on the console and nobody else was asked for anything."""
        assert (self.said, self.asked_elsewhere) == ([], [])
        return True

    def open(self, path: str) -> Page:
        """Open a page of the server."""
        self.page.goto(f"{self.base}{path}")
        return self.page

    def ask(self, question: str) -> None:
        """Type a question, send it with the Enter key, and wait until it is answered or refused."""
        turns = self.page.locator(".turn").count()
        self.page.fill("#question", question)
        self.page.keyboard.press("Enter")
        self.page.locator(".turn").nth(turns).and_(self.page.locator(".is-done")).wait_for()


@dataclass(frozen=True, slots=True)
class Site:
    """A running server and a browser."""

    browser: Browser
    link: str

    @contextmanager
    def page(
        self,
        size: tuple[int, int] = DESKTOP,
        *,
        scheme: Literal["light", "dark"] = "light",
        script: bool = True,
        motion: bool = False,
        touch: bool = False,
    ) -> Generator[Watched]:
        """Open a page in a browser of its own, signed in.

        Args:
            size: of the window, in CSS pixels.
            scheme: what the system prefers.
            script: whether JavaScript runs.
            motion: whether things may move.
            touch: whether one taps on it, as on a phone.
        """
        context: BrowserContext = self.browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            color_scheme=scheme,
            java_script_enabled=script,
            has_touch=touch,
            is_mobile=touch,
            reduced_motion="no-preference" if motion else "reduce",
        )
        try:
            context.set_default_timeout(PATIENCE_MS)
            page = context.new_page()
            address = urlsplit(self.link)
            watched = Watched(page, f"{address.scheme}://{address.netloc}")
            page.on("console", lambda told: _note(watched, told.type, told.text))
            page.on("pageerror", lambda error: watched.said.append(str(error)))
            page.on("request", lambda request: _follow(watched, request.url))
            page.goto(self.link)
            yield watched
        finally:
            context.close()


def overhang(page: Page) -> int:
    """Return by how many pixels a page is wider than its window."""
    return int(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))


def grave(page: Page, *rules: str) -> list[str]:
    """Return what axe finds on a page that is more than a trifle, by all its rules or by some."""
    options: dict[str, object] = {"resultTypes": ["violations"]}
    if rules:
        options["runOnly"] = {"type": "rule", "values": rules}
    found = cast("list[dict[str, object]]", Axe().run(page, options=options).response["violations"])  # pyright: ignore[reportUnknownMemberType]
    return [f"{each['id']}: {each['nodes']}"[:600] for each in found if each["impact"] != "minor"]


def _note(watched: Watched, kind: str, text: str) -> None:
    if kind in ("error", "warning"):
        watched.said.append(f"{kind}: {text}")


def _follow(watched: Watched, url: str) -> None:
    if not url.startswith((f"{watched.base}/", "data:")):
        watched.asked_elsewhere.append(url)


@contextmanager
def site(home: Path) -> Generator[Site]:
    """Serve the pages of the example memory from `home`, and start a browser.

    Args:
        home: where the memory is kept; a new directory gets the example memory first.
    """
    with _server(home) as link, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        try:
            yield Site(browser, link)
        finally:
            browser.close()


@contextmanager
def _server(home: Path) -> Generator[str]:
    environment = {name: os.environ[name] for name in _HERE if name in os.environ}
    environment |= {"HOME": str(home), "PYTHONPATH": os.pathsep.join([str(_ROOT / "src"), str(_ROOT / "tests")])}
    command = [sys.executable, str(_ROOT / "tests" / "page_server.py"), str(home / "memory")]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as child:
        try:
            assert child.stdout is not None
            link = child.stdout.readline().strip()
            assert link.startswith("http://127.0.0.1:"), "the server did not start; what it said is above"
            yield link
        finally:
            child.terminate()
            child.wait()
