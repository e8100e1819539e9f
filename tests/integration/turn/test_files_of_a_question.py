"""How many of the program's files one question passes: those of which a function runs while it is answered."""

import sys
import threading
from pathlib import Path
from types import FrameType

import pytest
from tools.house import ceilings

import voice
from played_turns import KILN, WHERE, ask, grounded, memory

_SOURCE = str(Path(voice.__file__).parent)


@pytest.mark.requirement("house:ceilings")
async def test_a_question_passes_no_more_files_than_before(tmp_path: Path) -> None:
    passed: set[str] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_name != "<module>":
            passed.add(frame.f_code.co_filename)

    async with memory(tmp_path, grounded(), told=KILN) as services:
        threading.setprofile(note)
        sys.setprofile(note)
        try:
            turn = await ask(services, WHERE)
        finally:
            sys.setprofile(None)
            threading.setprofile(None)  # type: ignore[arg-type]
    ours = {name for name in passed if name.startswith(_SOURCE)}
    assert not turn.exchange.refused
    assert any(name.endswith("services/turn/ask.py") for name in ours)
    assert len(ours) <= ceilings()["question_files"]
