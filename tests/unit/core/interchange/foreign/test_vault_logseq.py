"""A graph of Logseq: pages by their whole names, and what its settings hide."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables import tables
from voice.core.interchange.foreign.vault import by_name, hidden_paths, is_hidden, read_logseq_page, read_vault_text

TABLES = tables(__file__)

pytestmark = pytest.mark.requirement("imports:programs")


@pytest.mark.parametrize("name", ["OpenAI/Model/GPT/5/4", "C#", "Node.js", "Notes.md", "a|b", "up^2"])
def test_all_of_a_link_is_the_name_of_a_page(name: str) -> None:
    read = read_vault_text(f"- asked [[{name}]] today", by_name)
    assert read.text == f"- asked {name} today"
    assert [(link.target, read.text[link.start : link.end]) for link in read.links] == [(name, name)]


def test_a_link_without_a_name_is_none() -> None:
    read = read_vault_text("a [[ ]] b [[c]]", by_name)
    assert (read.text, [link.target for link in read.links]) == ("a  b c", ["c"])


def test_a_reference_brings_the_whole_names_of_the_block_that_it_means() -> None:
    block = "6650a1f0-0000-4000-8000-000000000001"
    page = read_logseq_page(f"- see (({block}))", {block: "the [[Craft/Kiln]] is hot"})
    assert read_vault_text(page.text, by_name).text == "- see the Craft/Kiln is hot"


@pytest.mark.parametrize(("source", "said"), TABLES["a_page_says_what_its_owner_wrote"])
def test_a_page_says_what_its_owner_wrote(source: str, said: str) -> None:
    assert read_logseq_page(source, {}).text == said


@pytest.mark.parametrize(("settings", "hidden"), TABLES["what_the_settings_hide_is_known"])
def test_what_the_settings_hide_is_known(settings: str, hidden: tuple[str, ...]) -> None:
    assert hidden_paths(settings) == hidden


@given(st.text(alphabet='{}[]()":;#_\\ \n/ab', max_size=80))
def test_any_settings_are_read(settings: str) -> None:
    assert all(hidden_paths(settings))


def test_a_page_is_hidden_by_the_beginning_of_its_path() -> None:
    assert is_hidden("pages/secret/a.md", ("pages/secret",))
    assert not is_hidden("pages/open.md", ("pages/secret",))
    assert not is_hidden("pages/open.md", ())
