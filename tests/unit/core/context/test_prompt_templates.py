"""Prompts are versioned text with a hash."""

import pytest
from blake3 import blake3
from hypothesis import given
from hypothesis import strategies as st

from voice.core.context.prompt_record import LONGEST_FAULT
from voice.core.context.prompt_safety import neutralise
from voice.core.context.prompt_templates import find_template, latest_template, parse_template, prompt_hash
from voice.core.context.question import (
    is_follow_up,
    judged_text,
    only_points_back,
    points_back,
    search_text,
    temperature_of,
)
from voice.core.errors import ConfigurationError, UnknownId
from voice.core.grounding.draft import parse_draft
from voice.core.grounding.reply import DraftFault
from voice.core.grounding.values import Stance
from voice.core.text.normalise import keyed_hash, norm_v1
from voice.core.token_estimates import estimate_tokens

TEXT = "---\nname: a\nversion: 2\npurpose: p\nowner: o\n---\n%% system\nHello $who.\n%% bare\n$5\n"


def test_reads_header_and_blocks() -> None:
    template = parse_template(TEXT, file_name="a.v2.md")
    assert template.label == "a.v2"
    assert template.has("system")
    assert not template.has("user")
    assert template.render("system", {"who": "you $who"}) == "Hello you $who.\n"
    assert template.template_hash == blake3(TEXT.encode()).hexdigest()


@pytest.mark.parametrize(
    ("text", "file_name", "message"),
    [
        ("no header", "a.v1.md", "starts with a header"),
        ("---\nname a\n---\n", "a.v1.md", "name: value"),
        ("---\nname: a\n---\n", "a.v1.md", "lacks owner, purpose, version"),
        (TEXT, "b.v2.md", r"a\.v2\.md"),
        (TEXT.replace("version: 2", "version: two"), "a.v2.md", "must be called"),
    ],
)
def test_says_what_is_wrong_with_a_prompt_file(text: str, file_name: str, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        parse_template(text, file_name=file_name)


@pytest.mark.parametrize(
    ("block", "message"), [("none", "no block"), ("system", r"\$who is not known"), ("bare", "Invalid placeholder")]
)
def test_says_what_is_wrong_with_a_rendering(block: str, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        parse_template(TEXT, file_name="a.v2.md").render(block, {})


def test_the_latest_version_of_a_prompt_is_used() -> None:
    one = parse_template(TEXT.replace("version: 2", "version: 1"), file_name="a.v1.md")
    two = parse_template(TEXT, file_name="a.v2.md")
    assert latest_template((two, one), "a") is two
    assert find_template((one, two), "a.v1") is one
    assert find_template((one, two), "a") is two
    with pytest.raises(ConfigurationError, match="there are: a"):
        latest_template((one, two), "zzz")
    for unknown in ("zzz", "a.v3"):
        with pytest.raises(UnknownId, match=r"there are: a\.v1, a\.v2$"):
            find_template((one, two), unknown)


@pytest.mark.requirement("ruling:D20")
def test_a_prompt_hash_needs_the_stores_key() -> None:
    one, other = b"k" * 32, b"j" * 32
    assert prompt_hash(one, "s", "p") == prompt_hash(one, "s", "p")
    assert len({prompt_hash(one, "s", "p"), prompt_hash(other, "s", "p"), prompt_hash(one, "sp", "")}) == 3
    assert keyed_hash(one, "x") != keyed_hash(other, "x")
    assert keyed_hash(one, "\ud800")


@pytest.mark.requirement("ruling:D22")
@given(st.text())
def test_neutralising_never_changes_what_a_text_says(text: str) -> None:
    """A faithful quote of the shown text is the stored text under `norm_v1`."""
    assert norm_v1(neutralise(text)) == norm_v1(text)


@pytest.mark.requirement("ruling:A5")
def test_a_stance_has_its_own_temperature_unless_one_is_set() -> None:
    assert temperature_of(Stance.SYNTHESIZE, None) == 0.2
    assert temperature_of(Stance.CHALLENGE, None) == temperature_of(Stance.QUESTION, None) == 0.8
    assert temperature_of(Stance.CHALLENGE, 0.0) == 0.0


@pytest.mark.requirement("ruling:D5")
@pytest.mark.parametrize(
    ("question", "previous", "judged"),
    [
        ("And Tom?", "Where does Ada live?", "And Tom?\nlive"),
        ("And Tom?", "where does ada live?", "And Tom?\nlive"),
        ("Und Tom?", "Wo wohnt Ada heute?", "Und Tom?\nwohnt heute"),
        ("And when was that?", "Where is the kiln in the shed?", "And when was that?\nkiln shed"),
        ("And why?", "Did Zoltan sell 14 bowls in Porto?", "And why?\nsell bowls"),
        ("And when?", "Where is Ada?", "And when?"),
        ("And when?", None, "And when?"),
    ],
)
def test_a_follow_up_is_judged_by_its_own_words_and_the_topics_before_it_but_no_names(
    question: str, previous: str | None, judged: str
) -> None:
    text = judged_text(question, previous=previous, evidence=(), names=("Ada", "The kiln"))
    assert text == judged


def test_a_question_that_says_enough_is_judged_by_itself() -> None:
    text = judged_text("Where is Ben's kiln?", previous=None, evidence=(), names=())
    assert text == "Where is Ben's kiln?"


@pytest.mark.requirement("ruling:D10")
@pytest.mark.parametrize(
    "reply",
    [
        "",
        "no",
        "[1]",
        "{" * 5000,
        '{"sources": []}',
        '{"answer": "x", "answer": "y"}',
        '{"answer": "' + "x" * 390_000 + "\n",
        "x" * 400_001,
        '{"answer": 1, "sources": []}',
        '{"answer": "a", "sources": [' + ",".join(['{"source_id": "S1", "span": "s"}'] * 63) + ', {"source_id": 1}]}',
        '{"answer": "a", "sources": [' + ",".join(['{"source_id": "S1", "span": "s"}'] * 63) + ", 1]}",
        '{"answer": "a", "sources": [{"source_id": "' + "S" * 300_000 + '", "span": "s"}]}',
    ],
    ids=range(12),
)
def test_no_fault_takes_more_room_than_is_left_for_a_repair(reply: str) -> None:
    fault = parse_draft(reply)
    assert isinstance(fault, DraftFault)
    assert estimate_tokens(fault.message) <= estimate_tokens(LONGEST_FAULT)


@pytest.mark.parametrize(
    ("question", "terms", "expected"),
    [
        ("Why?", 0, True),
        ("And Tom?", 1, True),
        ("Und Tom?", 1, True),
        ("When was that?", 0, True),
        ("Did she sell it?", 1, True),
        ("Who is my editor?", 1, False),
        ("hello", 1, False),
        ("?????", 0, False),
        ("🚢", 0, False),
        ("And where is Ben's kiln?", 2, False),
        ("thanks", 0, False),
        ("Thank you so much!", 0, False),
        ("ok, great", 0, False),
        ("Danke dir!", 0, False),
        ("Thanks, and why?", 0, True),
        ("no, why not?", 0, True),
    ],
)
def test_only_a_question_that_points_back_is_a_follow_up(question: str, terms: int, *, expected: bool) -> None:
    assert is_follow_up(question, content_terms=terms) is expected


@pytest.mark.parametrize(
    ("question", "is_timed", "expected"),
    [
        ("What did I do?", True, False),
        ("What did I do?", False, True),
        ("What should I do?", False, True),
        ("What do I still have to do?", False, False),
        ("What have we done?", True, False),
        ("Was muss ich noch tun?", False, False),
        ("What happened?", True, False),
        ("Was ist passiert?", True, False),
        ("What happened?", False, True),
        ("Why did I do that?", True, True),
        ("And then?", True, True),
        ("When did I?", False, True),
    ],
)
def test_a_question_for_all_that_was_done_or_was_then_stands_alone(
    question: str, *, is_timed: bool, expected: bool
) -> None:
    assert is_follow_up(question, content_terms=0, is_timed=is_timed) is expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What new rule did I set after losing those emails?", True),
        ("And what are the dogs called?", True),
        ("Which glaze does Irma use?", False),
    ],
)
def test_a_question_of_its_own_may_point_back(question: str, *, expected: bool) -> None:
    assert points_back(question) is expected


def test_a_question_that_names_somebody_does_not_only_lean() -> None:
    assert only_points_back("Did she send it?")
    assert not only_points_back("Did Joana send it?")
    assert not only_points_back("What did I decide?")


def test_a_follow_up_is_searched_for_with_the_question_it_leans_on() -> None:
    assert search_text("And when?", previous="Where is Anna?") == "Where is Anna?\nAnd when?"
    assert search_text("And when?", previous=None) == "And when?"
