"""`POST /api/v1/check` holds any answer against any facts and asks the memory nothing."""

from pathlib import Path
from typing import cast

import pytest

from web_door import door, told

pytestmark = pytest.mark.requirement("grounding:check:alone", "http:operations")


async def test_an_answer_is_checked_claim_by_claim_though_the_inner_voice_is_off(tmp_path: Path) -> None:
    facts = [
        "The kiln is in the shed.",
        {"id": "b", "text": "It cost 41 euros.", "date": "2024-03-05", "speaker": "Ida"},
    ]
    said = {"answer": "The kiln is in the shed [1]. It cost 42 euros [b].", "facts": facts, "question": "Where?"}
    async with door(tmp_path, flags={"gate.enabled": False}) as at:
        report = await told(at, "POST", "/check", json=said)
        broken = await told(at, "POST", "/check", json={"answer": "a", "facts": []}, status=422)
        undated = {"answer": "a", "facts": [{"text": "a", "date": "Monday"}]}
        faulty = await told(at, "POST", "/check", json=undated, status=422)
    claims = cast("list[dict[str, object]]", report["claims"])
    assert [claim["rung"] for claim in claims] == ["quoted", "unsupported"]
    assert (report["proven"], report["verification"]) == (False, None)
    assert (broken["code"], faulty["code"]) == ("invalid_params", "invalid_params")
