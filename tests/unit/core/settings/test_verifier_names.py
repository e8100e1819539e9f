"""Which verifiers are set up is read as names between commas."""

import pytest

from voice.core.settings.readers import Unreadable, names
from voice.core.settings.values import VerifierSettings


@pytest.mark.parametrize(
    ("raw", "listed"),
    [
        ("none", ()),
        ("llm", ("llm",)),
        (" Cross-Encoder , LLM,llm ", ("cross-encoder", "llm")),
    ],
)
def test_each_name_counts_once_and_in_order(raw: str, listed: tuple[str, ...]) -> None:
    value = names().read(raw).value
    assert VerifierSettings(names=str(value)).listed == listed


@pytest.mark.requirement("ruling:C16")
@pytest.mark.parametrize("raw", ["", ",", "llm,", "none,llm", "a b", "../llm", 7])
def test_what_is_no_list_of_names_is_unreadable(raw: object) -> None:
    with pytest.raises(Unreadable):
        names().read(raw)
