"""`voice doctor`: what it looks at, what it calls, and what it says to do."""

import json
import os
import shlex
import shutil
from datetime import date
from pathlib import Path

import pytest

from cli_runner import Documented, Playing, Voice, failing, findings
from played_turns import USAGE
from voice.adapters.index.index import FoldedIndex
from voice.adapters.llm.scripted import SCRIPTED_PROFILE, Line
from voice.adapters.rerankers import FILE
from voice.adapters.surreal import opening
from voice.adapters.surreal.schema import shipped
from voice.adapters.system.data_directory import models_directory
from voice.adapters.system.state_files import EndpointFile
from voice.core.errors import ConfigurationError, EmbedderUnavailable, ProviderUnavailable, StoreHeld
from voice.core.model_endpoints import LearnedEndpoint


@pytest.mark.requirement("observe:reach", "promise:10")
@pytest.mark.parametrize(("line", "code", "state"), [("{}", 0, "ok"), (ProviderUnavailable("busy"), 1, "fault")])
def test_the_provider_is_called_when_asked_and_what_that_can_take_is_said_first(
    told: Voice, playing: Playing, is_as_documented: Documented, line: Line, code: int, state: str
) -> None:
    client = playing([line], profile=SCRIPTED_PROFILE)
    assert "reach" not in findings(told("doctor", "--json"))
    assert client.calls == 0
    ran = told("doctor", "--reach", "--json")
    is_as_documented("cli/doctor", ran)
    assert (ran.code, findings(ran)["reach"]["state"], client.calls) == (code, state, 1)
    assert "asking the provider scripted whether it answers: " in ran.only_line
    assert "$0.0000 at most" in ran.only_line


@pytest.mark.requirement("report:reach")
def test_what_asking_cost_is_in_the_report_and_counts_against_the_day(
    told: Voice, playing: Playing, monkeypatch: pytest.MonkeyPatch, is_as_documented: Documented
) -> None:
    client = playing(["{}"], usage=USAGE)
    assert findings(told.ok("doctor", "--reach", "--json"))["reach"]["state"] == "ok"
    report = told.ok("report", "cost", "--json")
    is_as_documented("cli/report", report)
    total = report.json["total"]
    reach = total["calls"]["reach"]
    assert (total["turns"], reach["calls"], reach["cost_usd"] == total["cost_usd"]) == (0, 1, True)
    shown = told.ok("report", "cost").out
    assert "(no turn)" in shown
    assert "reach" in shown
    told.verify()
    monkeypatch.setenv("SURR_INNER_VOICE_MAX_DAY_COST", total["cost_usd"])
    refused = findings(told("doctor", "--reach", "--json"))["reach"]
    assert (refused["state"], client.calls) == ("fault", 1)
    assert "the spending cap of this day" in refused["detail"]


@pytest.mark.requirement("report:reach")
@pytest.mark.parametrize(
    ("cap", "state", "said"), [("", "ok", "is not recorded"), ("1", "unchecked", "the store does not exist yet")]
)
def test_without_a_store_nobody_is_asked_under_a_cap(
    voice: Voice, playing: Playing, monkeypatch: pytest.MonkeyPatch, cap: str, state: str, said: str
) -> None:
    client = playing(["{}"])
    monkeypatch.setenv("SURR_INNER_VOICE_MAX_MONTH_COST", cap)
    found = findings(voice("doctor", "--reach", "--json"))["reach"]
    assert (found["state"], said in found["detail"], client.calls) == (state, True, int(state == "ok"))


@pytest.mark.requirement("report:reach")
def test_while_somebody_else_holds_the_store_nobody_is_asked_for_money(
    told: Voice, playing: Playing, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = playing(["{}"])
    held = failing(StoreHeld("another process has the memory open"))
    monkeypatch.setattr("voice.bootstrap.open_services", held)
    found = findings(told("doctor", "--reach", "--json"))["reach"]
    assert (found["state"], client.calls) == ("unchecked", 0)
    assert found["detail"].endswith("could not record the cost: another process has the memory open")


@pytest.mark.requirement("observe:doctor")
def test_before_there_is_a_memory_all_there_is_to_do_is_to_make_one(nowhere: Voice, voice: Voice) -> None:
    makes = f"run: voice --home '{nowhere.home}' init"
    ran = nowhere("doctor", "--json")
    to_do = {name: each["advice"] for name, each in findings(ran).items() if each["advice"]}
    assert set(to_do.values()) == {makes}
    assert {"home", "gate", "provider", "store"} <= to_do.keys()
    assert (ran.code, ran.err, nowhere.home.exists()) == (1, "", False)
    assert f"→ {makes}" in nowhere("doctor").out
    nowhere.home.mkdir(mode=0o700)
    assert {each["advice"] for each in findings(nowhere.ok("doctor", "--json")).values()} == {"", makes}
    voice.ok("doctor")
    assert [path.name for home in (nowhere.home, voice.home) for path in home.iterdir()] == ["voice.toml"]


@pytest.mark.requirement("observe:reach")
def test_offline_there_is_nobody_to_reach_and_nothing_to_say_first(told: Voice) -> None:
    ran = told.ok("doctor", "--reach", "--json")
    assert (findings(ran)["reach"]["state"], ran.err) == ("ok", "")


@pytest.mark.requirement("observe:reach")
def test_a_provider_without_a_key_is_not_called(told: Voice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SURR_INNER_VOICE_PROVIDER", "gemini")
    ran = told("doctor", "--reach", "--json")
    assert (ran.code, findings(ran)["reach"]["state"], ran.err) == (1, "fault", "")


@pytest.mark.requirement("observe:doctor", "ruling:B7")
def test_a_store_of_a_newer_program_says_which_program_to_install(told: Voice, monkeypatch: pytest.MonkeyPatch) -> None:
    known = shipped()
    monkeypatch.setattr(opening, "shipped", lambda: known[:-1])
    ran = told("doctor", "--json")
    found = findings(ran)["schema"]
    assert (ran.code, found["state"]) == (1, "fault")
    assert known[-1].name in found["detail"]
    assert found["advice"] == "install the version of voice that wrote this store, or a newer one"


@pytest.mark.requirement("observe:doctor")
def test_files_that_others_may_read_and_a_key_that_is_gone_are_told_with_what_to_do(told: Voice) -> None:
    part = next(path for path in sorted((told.home / "memory").rglob("*")) if path.is_file())
    part.chmod(0o644)
    found = findings(told.ok("doctor", "--json"))["rights"]
    assert (found["state"], found["advice"]) == ("remark", f"run: chmod 600 {shlex.quote(str(part))}")
    assert findings(told.ok("doctor", "--json"))["rights"]["state"] == "ok", "opening the store mends its files"
    (told.home / "key").unlink()
    gone = told("doctor", "--json")
    assert (gone.code, findings(gone)["key"]["state"]) == (1, "fault")


@pytest.mark.requirement("observe:doctor")
@pytest.mark.parametrize(
    ("broken", "error", "name", "said"),
    [
        ("files.prompt_registry.load_registry", ConfigurationError("registry.toml lacks"), "prompts", "registry.toml"),
        ("retrieval.InstalledProviders.named", ConfigurationError("it cannot be loaded"), "retrieval", "loaded"),
        ("rerankers.make_reranker", ConfigurationError("no such re-ranker"), "reranker", "no such"),
        ("embedding.hashed.HashedEmbedder.embed", EmbedderUnavailable("the encoder is ill"), "encoder", "is ill"),
        ("index.index.FoldedIndex.faults", RecursionError(), "store", "RecursionError"),
    ],
)
def test_whatever_breaks_in_a_check_up_is_a_finding(
    told: Voice, monkeypatch: pytest.MonkeyPatch, broken: str, error: Exception, name: str, said: str
) -> None:
    monkeypatch.setattr(f"voice.adapters.{broken}", failing(error))
    ran = told("doctor", "--json")
    found = findings(ran)[name]
    assert (ran.code, found["state"], said in found["detail"]) == (1, "fault", True), found


@pytest.mark.requirement("observe:doctor")
@pytest.mark.parametrize("damaged", [b"", b"<html>404</html>"])
def test_a_reranker_whose_file_is_damaged_is_a_fault(told: Voice, damaged: bytes) -> None:
    file = models_directory() / FILE
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(damaged)
    found = findings(told("doctor", "--json"))["reranker"]
    assert found["state"] == "fault"
    assert f"{file} is not the model" in found["detail"]
    assert "install reranker" in found["detail"]


@pytest.mark.requirement("holder:doctor")
def test_a_key_without_a_store_is_no_alarm_where_the_memory_never_was_on_this_disk(
    voice: Voice, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("SURR_DB_URL", "mem://")
        voice.ok("remember", "Moved the kiln to the shed.")
    assert findings(voice.ok("doctor", "--json"))["store"]["state"] == "remark"
    assert not (voice.home / "memory").exists()


@pytest.mark.requirement("holder:doctor")
def test_a_directory_that_was_emptied_is_called_no_store_and_none_is_made_in_it(told: Voice) -> None:
    shutil.rmtree(told.home / "memory")
    shutil.rmtree(told.home / "index", ignore_errors=True)
    (told.home / "memory").mkdir(mode=0o700)
    found = findings(told("doctor", "--json"))["store"]
    assert (found["state"], f"{told.home / 'memory'} holds no store" in found["detail"]) == ("remark", True)
    assert list((told.home / "memory").iterdir()) == []


def test_a_memory_that_was_emptied_is_an_alarm_and_a_backup_ends_it(told: Voice, tmp_path: Path) -> None:
    file = str(tmp_path / "memory.backup")
    told.ok("maintain", "backup", file)
    told.ok("ask", "Where is the kiln?")
    told.ok("doctor")
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
    told.ok("doctor")
    assert "shed" in told.ok("ask", "Where is the kiln?").out


@pytest.mark.requirement("ruling:J3")
def test_what_endpoints_reject_is_shown_until_they_are_tried_again(
    told: Voice, playing: Playing, monkeypatch: pytest.MonkeyPatch, is_as_documented: Documented
) -> None:
    monkeypatch.setenv("SURR_INNER_VOICE_PROVIDER", "ollama_chat")
    monkeypatch.setenv("SURR_INNER_VOICE_MODEL", "m")
    kept = EndpointFile(told.home)
    kept.keep(LearnedEndpoint(endpoint="ollama_chat/m", untaken=("schema",), learned_on=date(2026, 11, 1)))
    shown = told("doctor", "--json")
    is_as_documented("cli/doctor", shown)
    assert "takes no reply schema" in findings(shown)["endpoint"]["detail"]
    playing(["{}"])
    assert "endpoint" not in findings(told("doctor", "--reach", "--json"))
    assert kept.of("ollama_chat/m") is None


def test_a_sound_memory_is_healthy(told: Voice, is_as_documented: Documented, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SURR_RERANKER", "none")
    ran = told.ok("doctor", "--json")
    is_as_documented("cli/doctor", ran)
    assert " ".join(findings(ran)) == (
        "home key rights disk prompts settings gate timezone provider reranker holder store schema vectors notes pins "
        "encoder clock index retrieval"
    )
    assert {each["state"] for each in findings(ran).values()} == {"ok"}
    assert told.ok("doctor").out.startswith("✓ home")


@pytest.mark.requirement("ruling:H.2b")
def test_a_store_behind_its_index_raises_the_alarm(told: Voice) -> None:
    rows = (json.dumps({"type": "thought", "content": f"Row {n} is here."}) for n in range(600))
    kept = told.home / "kept"
    shutil.copytree(told.home / "memory", kept)
    told.ok("import", "-", stdin="\n".join(rows).encode())
    told.ok("retrieve", "kiln")
    shutil.rmtree(told.home / "memory")
    kept.rename(told.home / "memory")
    ran = told("doctor", "--json")
    assert (ran.code, "writes were lost" in findings(ran)["index"]["detail"]) == (1, True)


def test_an_index_that_differs_from_its_store_is_told(told: Voice, monkeypatch: pytest.MonkeyPatch) -> None:
    async def differ(_: FoldedIndex) -> list[str]:
        return ["thoughts: the index has 3 rows, the store 1"]

    monkeypatch.setattr(FoldedIndex, "faults", differ)
    ran = told("doctor")
    assert (ran.code, "run: voice maintain rebuild" in ran.out) == (1, True)


def test_a_torn_store_says_that_it_is_torn_and_what_to_do(told: Voice) -> None:
    for manifest in (told.home / "memory" / "manifest").iterdir():
        os.truncate(manifest, manifest.stat().st_size // 2)
    found = findings(told("doctor", "--json"))["store"]
    assert ("torn" in found["detail"], "try again" in found["detail"]) == (True, False)
    assert "restore-backup" in found["advice"]


@pytest.mark.requirement("ruling:H.2c")
def test_a_text_that_is_not_what_was_stored_is_called_damage_by_all_who_read_it(told: Voice, tmp_path: Path) -> None:
    told.remember("".join(f"Heron {number} stood beside the stone wall. " for number in range(400)))
    told.ok("retrieve", "heron")  # the index has caught up, too
    for log in (told.home / "memory" / "vlog").iterdir():
        log.write_bytes(log.read_bytes().replace(b"200 stood beside the ", b"200 stood beside the0"))
    copying = f"export {tmp_path}/out", f"maintain backup {tmp_path}/backup"
    for command in ("retrieve heron", "recall heron", *copying, "maintain rebuild"):
        ran = told(*command.split())
        assert (ran.code, "was stored; restore a backup [store_damaged]" in ran.err) == (1, True), ran
    assert not list(tmp_path.glob("*backup*"))
    found = findings(told("doctor", "--json"))["index"]
    assert (found["state"], "store_damaged" in found["detail"], found["advice"]) == ("fault", True, "restore a backup")
    assert "not the one that was stored" in told("maintain", "verify").out


def test_a_fault_of_the_settings_is_not_answered_with_a_backup(told: Voice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SURR_INNER_VOICE_RETRIEVAL", "nowhere")
    found = findings(told("doctor", "--json"))["store"]
    assert (found["state"], "backup" in found["advice"]) == ("fault", False)


@pytest.mark.parametrize("name", ["manifest.json", "00000099.segment"])
def test_an_index_whose_files_are_no_files_is_made_anew(told: Voice, name: str) -> None:
    told.ok("retrieve", "kiln")
    (told.home / "index" / name).unlink(missing_ok=True)
    (told.home / "index" / name).mkdir()
    told.ok("doctor")
    told.ok("maintain", "rebuild")


def test_a_file_in_the_place_of_the_index_is_told_with_the_command_that_mends_it(told: Voice) -> None:
    shutil.rmtree(told.home / "index", ignore_errors=True)
    (told.home / "index").write_text("mine")
    ran = told("doctor", "--json")
    assert (ran.code, "voice maintain rebuild" in findings(ran)["index"]["detail"]) == (1, True)
    told.ok("maintain", "rebuild")
    told.ok("doctor")
    assert (told.home / "index.aside-1").read_text() == "mine"


def test_a_remote_encoder_is_not_called(told: Voice, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"PROVIDER": "openai", "MODEL": "small", "DIM": "8", "API_KEY": "k"}.items():
        monkeypatch.setenv(f"SURR_EMBED_{name}", value)
    assert "was not called" in findings(told("doctor", "--json"))["encoder"]["detail"]


def test_settings_that_cannot_be_read_are_a_finding(told: Voice) -> None:
    told.settings("enabled = perhaps\n")
    ran = told("doctor")
    assert (ran.code, "✗ settings" in ran.out, ran.err) == (1, True, "")


def test_settings_with_a_remark_and_a_missing_key_are_findings(told: Voice) -> None:
    told.settings('[nonsense]\nx = 1\n[embed]\nprovider = "hash"\n')
    found = findings(told("doctor", "--json"))
    states = [found[name]["state"] for name in ("settings", "gate", "provider")]
    assert states == ["remark", "remark", "fault"]


@pytest.mark.parametrize(
    ("place", "rights", "name", "told_in", "said"),
    [("key", 0o644, "store", "detail", "chmod 600"), (".", 0o755, "home", "advice", "chmod 700")],
)
def test_what_others_can_look_into_is_a_fault_with_the_rights_to_give_it(
    told: Voice, place: str, rights: int, name: str, told_in: str, said: str
) -> None:
    (told.home / place).chmod(rights)
    ran = told("doctor", "--json")
    assert (ran.code, said in findings(ran)[name][told_in]) == (1, True)
