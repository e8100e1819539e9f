"""Key, rights, disk, zone, schema, prompts and clock, as findings with the command that mends them."""

from datetime import UTC, datetime, timedelta

import pytest

from tables import tables
from voice.core.context.prompt_templates import TemplateCheck
from voice.core.health import (
    HomeFacts,
    KeyState,
    Shared,
    judge_clock,
    judge_disk,
    judge_home,
    judge_home_taken,
    judge_index,
    judge_key,
    judge_no_store,
    judge_prompts,
    judge_rights,
    judge_schema,
    judge_timezone,
    judge_unread_index,
)

TABLES = tables(__file__)

pytestmark = pytest.mark.requirement("observe:doctor")
NOW = datetime(2026, 3, 5, 12, 0, tzinfo=UTC)
GB = 1_000_000_000


def test_a_disk_that_takes_no_writes_is_told_apart_from_rights_that_are_missing() -> None:
    finding = judge_home(HomeFacts(path="/m", kind="directory", mode=0o700, is_read_only=True))
    assert (finding.state, "read-only" in finding.detail, "mount" in finding.advice) == ("fault", True, True)


def test_a_directory_that_goes_while_its_memory_is_open_is_put_back_and_not_made_anew() -> None:
    finding = judge_home_taken(HomeFacts(path="/m", kind="missing"))
    assert (finding.state, "/m no longer exists" in finding.detail) == ("fault", True)
    assert "put it back" in finding.advice
    assert "init" not in finding.advice


def test_a_path_with_a_space_is_quoted_in_the_command() -> None:
    wide = HomeFacts(path="/my memory", kind="directory", mode=0o755, is_writable=True)
    assert judge_home(wide).advice == "run: chmod 700 '/my memory'"


@pytest.mark.requirement("ruling:H.1")
@pytest.mark.parametrize(("key", "has_store", "state", "advice"), TABLES["a_key_is_there_whole_and_its_owner_s_alone"])
def test_a_key_is_there_whole_and_its_owner_s_alone(key: KeyState, state: str, advice: str, *, has_store: bool) -> None:
    finding = judge_key(HomeFacts(path="/m", kind="directory", key=key, has_store=has_store))
    assert (finding.state, advice in finding.advice) == (state, True)


@pytest.mark.requirement("ruling:H.1")
def test_files_that_others_have_rights_to_come_with_the_command_that_takes_them_away() -> None:
    file, folder = Shared(path="/m/index/a b", mode=0o644), Shared(path="/m/memory", mode=0o755, is_directory=True)

    def of(*shared: Shared) -> tuple[str, str]:
        finding = judge_rights(HomeFacts(path="/m", kind="directory", shared=shared))
        return finding.state, finding.advice

    assert of() == ("ok", "")
    assert of(file) == ("remark", "run: chmod 600 '/m/index/a b'")
    assert of(folder) == ("remark", "run: chmod 700 /m/memory")
    assert of(folder, file) == ("remark", "run: chmod -R go-rwx /m")
    several = judge_rights(HomeFacts(path="/m", kind="directory", shared=(folder, file)))
    assert several.detail == "others have access to /m/memory (mode 0755), and to 1 more"


@pytest.mark.parametrize(("data", "state"), [(0, "ok"), (2 * GB, "ok"), (2 * GB + 1, "remark")])
def test_a_backup_wants_as_much_room_as_the_data(data: int, state: str) -> None:
    finding = judge_disk(2 * GB, data)
    assert (finding.state, bool(finding.advice)) == (state, state == "remark")


def test_a_zone_without_rules_is_a_fault() -> None:
    assert judge_timezone("Europe/Lisbon", is_known=True).state == "ok"
    unknown = judge_timezone("Europe/Lisbon", is_known=False)
    assert (unknown.state, "tzdata" in unknown.advice) == ("fault", True)


def test_a_schema_is_told_by_its_newest_step() -> None:
    assert "005_x" in judge_schema("005_x").detail


def test_a_prompt_that_changed_after_its_release_is_a_fault() -> None:
    good, changed = TemplateCheck(label="a.v1", fault=None), TemplateCheck(label="b.v2", fault="changed")
    assert judge_prompts([good]).detail == "1 versions, each as it was released"
    finding = judge_prompts([good, changed])
    assert (finding.state, finding.detail) == ("fault", "b.v2: changed")
    assert finding.advice.startswith("install voice again; in a checkout, a released version never changes")
    new = TemplateCheck(label="a.v2", fault="not_pinned")
    assert judge_prompts([new, changed]).advice == finding.advice
    assert (judge_prompts([good, new]).state, judge_prompts([good, new]).detail) == ("remark", "a.v2: not_pinned")


@pytest.mark.parametrize(
    ("newest_row", "is_steady", "state"),
    [
        (None, True, "ok"),
        (NOW + timedelta(minutes=5), True, "ok"),
        (NOW + timedelta(minutes=6), True, "remark"),
        (None, False, "fault"),
    ],
)
def test_a_clock_behind_a_row_is_worth_knowing_and_a_stopwatch_that_goes_back_is_a_fault(
    newest_row: datetime | None, state: str, *, is_steady: bool
) -> None:
    finding = judge_clock(NOW, None, newest_row=newest_row, is_steady=is_steady)
    assert (finding.state, bool(finding.advice)) == (state, state != "ok")


@pytest.mark.parametrize(("behind", "said"), [(None, "it was not opened yet; "), (3, "it is 3 changes behind; ")])
def test_an_index_that_is_only_looked_at_says_why_it_cannot_be_judged(behind: int | None, said: str) -> None:
    finding = judge_unread_index(behind)
    assert (finding.state, finding.detail.startswith(said)) == ("unchecked", True)
    assert finding.advice == "search for something, then run: voice doctor"


def test_an_index_that_caught_up_says_how_far_it_was_behind() -> None:
    assert judge_index([], 7, behind=3).detail.endswith("; it was 3 changes behind and has caught up")


@pytest.mark.parametrize(
    ("facts", "state", "said", "advice"),
    [
        (HomeFacts(path="/m", kind="missing"), "unchecked", "nothing has been stored yet", "voice init"),
        (HomeFacts(path="/m", kind="directory"), "unchecked", "nothing has been stored yet", "voice remember"),
        (HomeFacts(path="/m y", kind="directory", has_index=True), "fault", "/m y/memory is missing", "'/m y/index'"),
        (HomeFacts(path="/m", kind="directory", key="private"), "remark", "deleted or moved", "if you had a store"),
    ],
)
def test_a_store_that_is_gone_is_told_from_one_that_never_was(
    facts: HomeFacts, state: str, said: str, advice: str
) -> None:
    finding = judge_no_store(facts)
    assert (finding.state, said in finding.detail, advice in finding.advice) == (state, True, True)
