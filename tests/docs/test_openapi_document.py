"""The published OpenAPI document is the one that follows from the table of operations."""

import pytest
from openapi_document import openapi

from web_door import DOCUMENT


@pytest.mark.requirement("http:operations")
def test_the_published_document_is_current() -> None:
    assert openapi() == DOCUMENT, "python tools/docs.py writes it"
