"""`voice doctor`: what it looks at beyond the store, what it calls, and what it says to do."""

import shlex
import shutil
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import cast

import pytest

import voice.bootstrap
from cli_runner import Ran, Voice, always
from played_turns import PAID, scripted
from voice.adapters.llm.scripted import Line, ScriptedClient
from voice.adapters.surreal import opening
from voice.adapters.surreal.schema import shipped
from voice.adapters.system.state_files import EndpointFile
from voice.core.errors import ConfigurationError, ProviderUnavailable, StoreHeld
from voice.core.model_endpoints import LearnedEndpoint

Documented = Callable[[str, Ran], None]


@pytest.fixture
def told(voice: Voice) -> Voice:
    voice.ok("remember", "Moved the kiln to the shed.")
    return voice


def findings_of(ran: Ran) -> dict[str, dict[str, str]]:
    document = cast("dict[str, list[dict[str, str]]]", ran.json)
    return {each["name"]: each for each in document["findings"]}


@pytest.mark.requirement("observe:reach", "promise:10")
@pytest.mark.parametrize(("line", "code", "state"), [("{}", 0, "ok"), (ProviderUnavailable("busy"), 1, "fault")])
def test_the_provider_is_called_when_asked_and_what_that_can_take_is_said_first(
    told: Voice, monkeypatch: pytest.MonkeyPatch, is_as_documented: Documented, line: Line, code: int, state: str
) -> None:
    client = ScriptedClient(lambda _: line)
    monkeypatch.setattr(voice.bootstrap, "make_llm", always(lambda: client))
    assert "reach" not in findings_of(told("doctor", "--json"))
    assert client.calls == 0
    ran = told("doctor", "--reach", "--json")
    is_as_documented("cli/doctor", ran)
    assert (ran.code, findings_of(ran)["reach"]["state"], client.calls) == (code, state, 1)
    assert "asking scripted whether it answers: " in ran.only_line
    assert "$0.0000 at most" in ran.only_line


def paid(monkeypatch: pytest.MonkeyPatch) -> ScriptedClient:
    """Put a model in place that costs money, and return it."""
    client = scripted("{}", profile=PAID)
    monkeypatch.setattr(voice.bootstrap, "make_llm", always(lambda: client))
    return client


@pytest.mark.requirement("report:reach")
def test_what_asking_cost_is_in_the_report_and_counts_against_the_day(
    told: Voice, monkeypatch: pytest.MonkeyPatch, is_as_documented: Documented
) -> None:
    client = paid(monkeypatch)
    assert findings_of(told.ok("doctor", "--reach", "--json"))["reach"]["state"] == "ok"
    report = told.ok("report", "cost", "--json")
    is_as_documented("cli/report", report)
    total = cast("dict[str, dict[str, object]]", report.json)["total"]
    reach = cast("dict[str, dict[str, object]]", total["calls"])["reach"]
    assert (total["turns"], reach["calls"], reach["cost_usd"] == total["cost_usd"]) == (0, 1, True)
    shown = told.ok("report", "cost").out
    assert "(no turn)" in shown
    assert "reach" in shown
    assert told.ok("maintain", "verify").out == "Voice read every record; every text, count and chain is right.\n"
    monkeypatch.setenv("SURR_INNER_VOICE_MAX_DAY_COST", str(total["cost_usd"]))
    refused = findings_of(told("doctor", "--reach", "--json"))["reach"]
    assert (refused["state"], client.calls) == ("fault", 1)
    assert "the spending cap of this day" in refused["detail"]


@pytest.mark.requirement("report:reach")
@pytest.mark.parametrize(
    ("cap", "state", "said"), [(None, "ok", "is not recorded"), ("1", "unchecked", "the store does not exist yet")]
)
def test_without_a_store_nobody_is_asked_under_a_cap(
    voice: Voice, monkeypatch: pytest.MonkeyPatch, cap: str | None, state: str, said: str
) -> None:
    client = paid(monkeypatch)
    if cap is not None:
        monkeypatch.setenv("SURR_INNER_VOICE_MAX_MONTH_COST", cap)
    found = findings_of(voice("doctor", "--reach", "--json"))["reach"]
    assert (found["state"], said in found["detail"], client.calls) == (state, True, int(state == "ok"))


@pytest.mark.requirement("report:reach")
def test_while_somebody_else_holds_the_store_nobody_is_asked_for_money(
    told: Voice, monkeypatch: pytest.MonkeyPatch
) -> None:
    def held(*_: object, **__: object) -> None:
        raise StoreHeld("another process has the memory open")

    client = paid(monkeypatch)
    monkeypatch.setattr(voice.bootstrap, "open_services", held)
    found = findings_of(told("doctor", "--reach", "--json"))["reach"]
    assert (found["state"], client.calls) == ("unchecked", 0)
    assert found["detail"].endswith("could not record the cost: another process has the memory open")


@pytest.mark.requirement("observe:doctor")
def test_before_there_is_a_memory_all_there_is_to_do_is_to_make_one(
    tmp_path: Path, run_voice: Callable[[list[str], bytes], Ran]
) -> None:
    nowhere = Voice(tmp_path / "nowhere", run_voice)
    ran = nowhere("doctor", "--json")
    to_do = {name: each["advice"] for name, each in findings_of(ran).items() if each["advice"]}
    assert set(to_do.values()) == {f"run: voice --home {nowhere.home} init"}
    assert {"home", "gate", "provider", "store"} <= to_do.keys()
    assert (ran.code, ran.err, nowhere.home.exists()) == (1, "", False)
    assert f"→ run: voice --home {nowhere.home} init" in nowhere("doctor").out
    nowhere.home.mkdir(mode=0o700)
    empty = nowhere("doctor", "--json")
    assert {each["advice"] for each in findings_of(empty).values()} == {"", f"run: voice --home {nowhere.home} init"}
    assert empty.code == 0


@pytest.mark.requirement("observe:reach")
def test_offline_there_is_nobody_to_reach_and_nothing_to_say_first(told: Voice) -> None:
    ran = told.ok("doctor", "--reach", "--json")
    assert (findings_of(ran)["reach"]["state"], ran.err) == ("ok", "")


@pytest.mark.requirement("observe:reach")
def test_a_provider_without_a_key_is_not_called(told: Voice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SURR_INNER_VOICE_PROVIDER", "gemini")
    ran = told("doctor", "--reach", "--json")
    assert (ran.code, findings_of(ran)["reach"]["state"], ran.err) == (1, "fault", "")


@pytest.mark.requirement("observe:doctor", "ruling:B7")
def test_a_store_of_a_newer_program_says_which_program_to_install(told: Voice, monkeypatch: pytest.MonkeyPatch) -> None:
    known = shipped()
    monkeypatch.setattr(opening, "shipped", lambda: known[:-1])
    ran = told("doctor", "--json")
    found = findings_of(ran)["schema"]
    assert (ran.code, found["state"]) == (1, "fault")
    assert known[-1].name in found["detail"]
    assert found["advice"] == "install the version of voice that wrote this store, or a newer one"


@pytest.mark.requirement("observe:doctor")
def test_files_that_others_may_read_and_a_key_that_is_gone_are_told_with_what_to_do(told: Voice) -> None:
    part = next(path for path in sorted((told.home / "memory").rglob("*")) if path.is_file())
    part.chmod(0o644)
    found = findings_of(told.ok("doctor", "--json"))["rights"]
    assert (found["state"], found["advice"]) == ("remark", f"run: chmod 600 {shlex.quote(str(part))}")
    assert findings_of(told.ok("doctor", "--json"))["rights"]["state"] == "ok", "opening the store mends its files"
    (told.home / "key").unlink()
    gone = told("doctor", "--json")
    assert (gone.code, findings_of(gone)["key"]["state"]) == (1, "fault")


@pytest.mark.requirement("observe:doctor")
def test_prompts_that_cannot_be_read_are_a_fault(told: Voice, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise ConfigurationError("the installed package lacks registry.toml; install it again")

    monkeypatch.setattr("voice.adapters.files.prompt_registry.load_registry", fail)
    ran = told("doctor", "--json")
    assert (ran.code, findings_of(ran)["prompts"]["state"]) == (1, "fault")


@pytest.mark.requirement("holder:doctor")
def test_a_key_without_a_store_is_no_alarm_where_the_memory_never_was_on_this_disk(
    voice: Voice, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("SURR_DB_URL", "mem://")
        voice.ok("remember", "Moved the kiln to the shed.")
    ran = voice.ok("doctor", "--json")
    assert findings_of(ran)["store"]["state"] == "remark"
    assert not (voice.home / "memory").exists()


@pytest.mark.requirement("holder:doctor")
def test_a_directory_that_was_emptied_is_called_no_store_and_none_is_made_in_it(told: Voice) -> None:
    shutil.rmtree(told.home / "memory")
    shutil.rmtree(told.home / "index", ignore_errors=True)
    (told.home / "memory").mkdir(mode=0o700)
    found = findings_of(told("doctor", "--json"))["store"]
    assert (found["state"], f"{told.home / 'memory'} holds no store" in found["detail"]) == ("remark", True)
    assert list((told.home / "memory").iterdir()) == []


def test_a_memory_that_was_emptied_is_an_alarm_and_a_backup_ends_it(told: Voice, tmp_path: Path) -> None:
    file = str(tmp_path / "memory.backup")
    told.ok("maintain", "backup", file)
    told.ok("ask", "Where is the kiln?")
    assert told("doctor").code == 0
    shutil.rmtree(told.home / "memory")
    gone = told("doctor")
    assert (gone.code, "memory is missing, but" in gone.out) == (1, True)
    (told.home / "memory").mkdir(mode=0o700)
    emptied = told("doctor")
    assert (emptied.code, "memory is missing, but" in emptied.out) == (1, True)
    assert list((told.home / "memory").iterdir()) == []
    assert "[store_damaged]" in told("ask", "Where is the kiln?").err
    replaced = told("doctor")
    assert (replaced.code, "was emptied or replaced" in replaced.out) == (1, True)
    told.ok("maintain", "restore-backup", file)
    assert told("doctor").code == 0
    assert "shed" in told.ok("ask", "Where is the kiln?").out


@pytest.mark.requirement("ruling:J3")
def test_what_endpoints_reject_is_shown_until_they_are_tried_again(
    told: Voice, monkeypatch: pytest.MonkeyPatch, is_as_documented: Documented
) -> None:
    monkeypatch.setenv("SURR_INNER_VOICE_PROVIDER", "ollama_chat")
    monkeypatch.setenv("SURR_INNER_VOICE_MODEL", "m")
    kept = EndpointFile(told.home)
    kept.keep(LearnedEndpoint(endpoint="ollama_chat/m", untaken=("schema",), learned_on=date(2026, 11, 1)))
    shown = told("doctor", "--json")
    is_as_documented("cli/doctor", shown)
    assert "takes no reply schema" in findings_of(shown)["endpoint"]["detail"]
    paid(monkeypatch)
    assert "endpoint" not in findings_of(told("doctor", "--reach", "--json"))
    assert kept.of("ollama_chat/m") is None
