"""The program on docs/recall.md runs as it is printed there."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.anyio

_PAGE = Path(__file__).resolve().parents[2] / "docs" / "recall.md"


@pytest.mark.requirement("s4:result:pins", "s4:scope:default")
async def test_the_program_on_the_page_pins_and_recalls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = {"VOICE_HOME": str(tmp_path / "home"), "SURR_ENABLE_INNER_VOICE": "1", "SURR_EMBED_PROVIDER": "hash"}
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    code = _PAGE.read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
    made: dict[str, Callable[[], Awaitable[None]]] = {}
    exec(compile(code, "docs/recall.md", "exec"), made)
    await made["main"]()
    assert capsys.readouterr().out == "the bug at hand The login breaks when the token is empty.\n"
