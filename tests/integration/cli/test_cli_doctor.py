"""`voice doctor`: what it looks at, what it calls, and what it says to do."""

import shutil
from pathlib import Path

import pytest

from cli_runner import Documented, Playing, Voice, failing, findings
from played_turns import USAGE
from voice.adapters.llm.scripted import SCRIPTED_PROFILE
from voice.core.errors import ConfigurationError, EmbedderUnavailable, ProviderUnavailable


@pytest.mark.requirement("observe:reach", "promise:10")
def test_the_provider_is_called_when_asked_and_what_that_can_take_is_said_first(
    told: Voice, playing: Playing, is_as_documented: Documented
) -> None:
    for line, code, state in (("{}", 0, "ok"), (ProviderUnavailable("busy"), 1, "fault")):
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


@pytest.mark.requirement("observe:doctor")
def test_before_there_is_a_memory_all_there_is_to_do_is_to_make_one(nowhere: Voice, unbegun: Voice) -> None:
    makes = f"run: voice --home '{nowhere.home}' init"
    ran = nowhere("doctor", "--json")
    to_do = {name: each["advice"] for name, each in findings(ran).items() if each["advice"]}
    assert set(to_do.values()) == {makes}
    assert {"home", "gate", "provider", "store"} <= to_do.keys()
    assert (ran.code, ran.err, nowhere.home.exists()) == (1, "", False)
    assert f"→ {makes}" in nowhere("doctor").out
    nowhere.home.mkdir(mode=0o700)
    assert {each["advice"] for each in findings(nowhere.ok("doctor", "--json")).values()} == {"", makes}
    unbegun.ok("doctor")
    assert [path.name for home in (nowhere.home, unbegun.home) for path in home.iterdir()] == ["voice.toml"]


@pytest.mark.requirement("observe:doctor")
def test_whatever_breaks_in_a_check_up_is_a_finding(told: Voice, monkeypatch: pytest.MonkeyPatch) -> None:
    for broken, error, name in (
        ("files.prompt_registry.load_registry", ConfigurationError("registry.toml lacks"), "prompts"),
        ("retrieval.InstalledProviders.named", ConfigurationError("it cannot be loaded"), "retrieval"),
        ("rerankers.make_reranker", ConfigurationError("no such re-ranker"), "reranker"),
        ("embedding.hashed.HashedEmbedder.embed", EmbedderUnavailable("the encoder is ill"), "encoder"),
        ("index.index.FoldedIndex.faults", RecursionError(), "store"),
    ):
        with monkeypatch.context() as ill:
            ill.setattr(f"voice.adapters.{broken}", failing(error))
            ran = told("doctor", "--json")
        found = findings(ran)[name]
        assert (ran.code, found["state"], (str(error) or "RecursionError") in found["detail"]) == (1, "fault", True)


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


@pytest.mark.requirement("observe:reach")
def test_a_sound_memory_is_healthy(told: Voice, is_as_documented: Documented, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SURR_RERANKER", "none")
    ran = told.ok("doctor", "--json")
    is_as_documented("cli/doctor", ran)
    reached = told.ok("doctor", "--reach", "--json")
    assert (findings(reached)["reach"]["state"], reached.err) == ("ok", "")
    assert " ".join(findings(ran)) == (
        "home key rights disk prompts settings gate timezone provider reranker holder store schema vectors notes pins "
        "encoder clock index retrieval"
    )
    assert {each["state"] for each in findings(ran).values()} == {"ok"}
    assert told.ok("doctor").out.startswith("✓ home")


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


def test_what_is_no_index_in_its_place_is_told_with_the_command_that_mends_it(told: Voice) -> None:
    told.ok("retrieve", "kiln")
    (told.home / "index" / "manifest.json").unlink(missing_ok=True)
    (told.home / "index" / "manifest.json").mkdir()
    told.ok("doctor")
    told.ok("maintain", "rebuild")
    shutil.rmtree(told.home / "index")
    (told.home / "index").write_text("mine")
    ran = told("doctor", "--json")
    assert (ran.code, "voice maintain rebuild" in findings(ran)["index"]["detail"]) == (1, True)
    told.ok("maintain", "rebuild")
    told.ok("doctor")
    assert (told.home / "index.aside-1").read_text() == "mine"


@pytest.mark.requirement("observe:reach")
def test_what_is_wrong_with_the_settings_is_a_finding(told: Voice, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as remote:
        for name, value in {"PROVIDER": "openai", "MODEL": "small", "DIM": "8", "API_KEY": "k"}.items():
            remote.setenv(f"SURR_EMBED_{name}", value)
        remote.setenv("SURR_INNER_VOICE_PROVIDER", "gemini")
        ran = told("doctor", "--reach", "--json")
    assert "was not called" in findings(ran)["encoder"]["detail"]
    assert (ran.code, findings(ran)["reach"]["state"], ran.err) == (1, "fault", "")
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("SURR_INNER_VOICE_RETRIEVAL", "nowhere")
        found = findings(told("doctor", "--json"))["store"]
    assert (found["state"], "backup" in found["advice"]) == ("fault", False)
    told.settings('[nonsense]\nx = 1\n[embed]\nprovider = "hash"\n')
    found = findings(told("doctor", "--json"))
    assert [found[name]["state"] for name in ("settings", "gate", "provider")] == ["remark", "remark", "fault"]
    told.settings("enabled = perhaps\n")
    broken = told("doctor")
    assert (broken.code, "✗ settings" in broken.out, broken.err) == (1, True, "")
