"""The published OpenAPI document is the one that follows from the table of operations."""

import json
from pathlib import Path

import pytest
from openapi_document import openapi

_KEPT = Path(__file__).resolve().parents[2] / "src" / "voice" / "schemas" / "openapi.json"


@pytest.mark.requirement("http:operations")
def test_the_published_document_is_current() -> None:
    assert json.loads(_KEPT.read_text(encoding="utf-8")) == openapi(), "python tools/docs.py writes it"
