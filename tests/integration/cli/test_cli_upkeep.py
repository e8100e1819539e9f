"""Keeping a memory safe and in order: `maintain` and `doctor`."""

import json
import os
import shutil
from collections.abc import Callable
from concurrent.futures import Future
from importlib import import_module
from pathlib import Path
from typing import cast

import anyio
import pytest

from cli_runner import SETTINGS, Ran, Voice
from voice.adapters.embedding.hashed import HashedEmbedder
from voice.adapters.index.index import FoldedIndex
from voice.adapters.retrieval import InstalledProviders
from voice.adapters.surreal.backup import SurrealMaintenance
from voice.adapters.surreal.embedded_engine import Engine, EngineFailed
from voice.adapters.surreal.opening import open_store
from voice.core.errors import ConfigurationError, EmbedderUnavailable

Documented = Callable[[str, Ran], None]
Findings = dict[str, dict[str, str]]


@pytest.fixture
def told(voice: Voice) -> Voice:
    voice.ok("remember", "Moved the kiln to the shed.")
    return voice


def findings_of(ran: Ran) -> Findings:
    document = cast("dict[str, list[dict[str, str]]]", ran.json)
    return {each["name"]: each for each in document["findings"]}


@pytest.mark.requirement("ruling:H.2a")
def test_a_backup_fills_an_empty_memory_and_both_export_the_same(
    told: Voice, tmp_path: Path, run_voice: Callable[[list[str], bytes], Ran], is_as_documented: Documented
) -> None:
    file = tmp_path / "memory.backup"
    made = told.ok("maintain", "backup", str(file), "--json")
    is_as_documented("cli/maintain-backup", made)
    assert str(told.home / "key") in made.only_line
    other = Voice(tmp_path / "other", run_voice)
    other.home.mkdir()
    shutil.copy2(told.home / "key", other.home / "key")
    (other.home / "voice.toml").write_text(SETTINGS)
    is_as_documented("cli/maintain-restore-backup", other.ok("maintain", "restore-backup", str(file), "--json"))
    assert other.ok("export", "-").out == told.ok("export", "-").out
    assert other("maintain", "restore-backup", str(file)).code == 2
    assert other.ok("maintain", "verify").out == "Voice read every record; every text, count and chain is right.\n"


def test_a_backup_replaces_nothing_unless_asked_for(told: Voice, tmp_path: Path) -> None:
    file = tmp_path / "memory.backup"
    assert "rows" in told.ok("maintain", "backup", str(file)).out
    before = file.read_bytes()
    assert "--force" in told("maintain", "backup", str(file)).only_line
    assert file.read_bytes() == before
    told.ok("remember", "Anna came by.")
    told.ok("maintain", "backup", str(file), "--force")
    assert file.read_bytes() != before


@pytest.mark.parametrize(
    ("name", "said"), [("", "is a directory"), ("missing/memory.backup", "is not a directory; create it first")]
)
def test_a_backup_needs_a_place(told: Voice, tmp_path: Path, name: str, said: str) -> None:
    ran = told("maintain", "backup", str(tmp_path / name))
    assert ran.code == 2
    assert said in ran.only_line


def test_a_damaged_backup_is_refused_as_a_whole(told: Voice, voice: Voice, tmp_path: Path) -> None:
    file = tmp_path / "memory.backup"
    told.ok("maintain", "backup", str(file))
    file.write_bytes(file.read_bytes().replace(b"kiln", b"kilt"))
    shutil.rmtree(told.home / "memory")
    ran = voice("maintain", "restore-backup", str(file))
    assert ran.code == 2
    assert "[data_file_error]" in ran.only_line
    assert voice.ok("export", "-").only_line.startswith("voice: 0 rows")


def test_faults_of_the_store_are_listed_and_end_with_a_failure(
    told: Voice, monkeypatch: pytest.MonkeyPatch, is_as_documented: Documented
) -> None:
    is_as_documented("cli/maintain-verify", told.ok("maintain", "verify", "--json"))

    async def find(self: SurrealMaintenance, progress: object = None) -> list[str]:
        return ["t:1: its text is not the one that was stored"]

    monkeypatch.setattr(SurrealMaintenance, "verify", find)
    ran = told("maintain", "verify")
    assert (ran.code, ran.out) == (1, "t:1: its text is not the one that was stored\n")
    assert "1 fault; restore a backup" in ran.only_line


def test_a_store_that_reads_and_does_not_open_again_is_called_damaged(
    told: Voice, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened, start = list[str](), Engine.start

    def once(self: Engine, url: str) -> "Future[None]":
        opened.append(url)
        if len(opened) == 1:
            return start(self, url)
        done = Future[None]()
        done.set_exception(EngineFailed("There was a problem with a datastore: Failed to load manifest"))
        return done

    monkeypatch.setattr(Engine, "start", once)
    ran = told("maintain", "verify")
    assert (ran.code, ran.out) == (1, "")
    assert ran.only_line.endswith("[store_damaged]")


def test_a_long_look_at_the_store_shows_how_far_it_is(told: Voice, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, int, int | None]] = []

    class Bars:
        def __enter__(self) -> Callable[[str, int, int | None], None]:
            return lambda title, done, total: seen.append((title, done, total))

        def __exit__(self, *_: object) -> None:
            pass

    told.ok("ask", "Where is the kiln?")
    monkeypatch.setattr(import_module("voice.entrypoints.cli.maintain"), "progress", Bars)
    told.ok("maintain", "verify")
    assert seen == [("Checking sessions", 1, 1), ("Adding up the costs", 1, 1)]


@pytest.mark.requirement("spending:recounted")
def test_a_sum_that_spending_caps_go_by_is_put_right_where_that_is_asked_for(told: Voice) -> None:
    async def damage() -> None:
        async with await open_store(told.home / "memory", home=told.home) as stores:
            wrong = "CREATE spending:`d20000` SET known = 4dec, at_worst = 0dec, unknown = 0 RETURN NONE"
            await stores.connection.run("damage", wrong)

    anyio.run(damage)
    ran = told("maintain", "verify")
    assert (ran.code, ran.out) == (1, "spending: 1 sum does not match the turns (1 of a day)\n")
    assert "voice maintain verify --mend" in ran.only_line
    mended = told.ok("maintain", "verify", "--mend")
    assert (mended.out, mended.only_line.endswith("(1 of a day); repaired")) == (
        "Voice read every record; every text, count and chain is right.\n",
        True,
    )
    sound = told.ok("maintain", "verify")
    assert (sound.out, sound.err) == ("Voice read every record; every text, count and chain is right.\n", "")


@pytest.mark.parametrize("command", ["verify", "rebuild", "rebuild vectors"])
def test_a_directory_that_is_not_there_is_neither_checked_nor_made(
    tmp_path: Path, run_voice: Callable[[list[str], bytes], Ran], command: str
) -> None:
    mistyped = Voice(tmp_path / "mistyped", run_voice)
    ran = mistyped("maintain", *command.split())
    assert (ran.code, ran.out, mistyped.home.exists()) == (4, "", False)
    makes = f"or make a memory there: voice --home {mistyped.home} init"
    said = f"voice: {mistyped.home} does not exist; choose another place with --home, {makes}"
    assert ran.only_line == f"{said} [configuration_error]"
    mistyped.ok("remember", "Moved the kiln to the shed.")
    mistyped.ok("maintain", *command.split())


def test_nothing_is_backed_up_from_a_mistyped_data_directory(
    tmp_path: Path, run_voice: Callable[[list[str], bytes], Ran]
) -> None:
    mistyped = Voice(tmp_path / "mistyped", run_voice)
    ran = mistyped("maintain", "backup", str(tmp_path / "memory.backup"))
    assert (ran.code, ran.out, mistyped.home.exists()) == (4, "", False)
    assert "does not exist" in ran.only_line
    assert not (tmp_path / "memory.backup").exists()


@pytest.mark.requirement("ruling:D20", "ruling:H.7")
def test_a_restoration_says_what_cannot_be_proven_without_the_old_key(
    told: Voice, tmp_path: Path, run_voice: Callable[[list[str], bytes], Ran]
) -> None:
    file = tmp_path / "memory.backup"
    told.ok("maintain", "backup", str(file))
    bare, keyed = (Voice(tmp_path / name, run_voice) for name in ("bare", "keyed"))
    said = bare.ok("maintain", "restore-backup", str(file)).err
    assert f"{bare.home / 'key'} was missing" in said
    assert "cannot prove old prompts" in said
    keyed.home.mkdir(mode=0o700)
    shutil.copy2(told.home / "key", keyed.home / "key")
    assert keyed.ok("maintain", "restore-backup", str(file)).err == ""


def test_the_index_is_made_anew(told: Voice, is_as_documented: Documented) -> None:
    ran = told.ok("maintain", "rebuild", "--json")
    is_as_documented("cli/maintain-reindex", ran)
    assert told.ok("maintain", "rebuild").out == "2 rows, 2 vectors in the index\n"


def test_a_sound_memory_is_healthy(told: Voice, is_as_documented: Documented) -> None:
    ran = told.ok("doctor", "--json")
    is_as_documented("cli/doctor", ran)
    found = findings_of(ran)
    assert " ".join(found) == (
        "home key rights disk prompts settings gate timezone provider holder store schema vectors notes pins encoder "
        "clock index retrieval"
    )
    assert {each["state"] for each in found.values()} == {"ok"}
    assert told.ok("doctor").out.startswith("✓ home")


def test_where_nothing_is_nothing_is_made(voice: Voice) -> None:
    assert voice("doctor").code == 0
    assert [path.name for path in voice.home.iterdir()] == ["voice.toml"]
    shutil.rmtree(voice.home)
    ran = voice("doctor")
    assert ran.code == 1
    assert f"run: voice --home '{voice.home}' init" in ran.out
    assert not voice.home.exists()


@pytest.mark.requirement("ruling:H.2b")
def test_a_store_behind_its_index_raises_the_alarm(told: Voice) -> None:
    rows = b"".join(
        json.dumps({"type": "thought", "content": f"Row {n} is here."}).encode() + b"\n" for n in range(600)
    )
    kept = told.home / "kept"
    shutil.copytree(told.home / "memory", kept)
    told.ok("import", "-", stdin=rows)
    told.ok("retrieve", "kiln")
    shutil.rmtree(told.home / "memory")
    kept.rename(told.home / "memory")
    ran = told("doctor", "--json")
    assert ran.code == 1
    assert "writes were lost" in findings_of(ran)["index"]["detail"]


def test_an_index_that_differs_from_its_store_is_told(told: Voice, monkeypatch: pytest.MonkeyPatch) -> None:
    async def differ(self: FoldedIndex) -> list[str]:
        return ["thoughts: the index has 3 rows, the store 1"]

    monkeypatch.setattr(FoldedIndex, "faults", differ)
    ran = told("doctor")
    assert ran.code == 1
    assert "run: voice maintain rebuild" in ran.out


@pytest.mark.requirement("ruling:H.2b")
def test_a_store_set_back_and_written_on_stays_an_alarm_until_the_index_is_made_anew(told: Voice) -> None:
    rows = b"".join(json.dumps({"type": "thought", "content": f"Row {n}."}).encode() + b"\n" for n in range(600))
    told.ok("import", "-", stdin=rows)
    shutil.copytree(told.home / "memory", told.home / "kept")
    told.ok("remember", "Zebra one crossed the road. Zebra two stood still.")
    told.ok("maintain", "rebuild")
    shutil.rmtree(told.home / "memory")
    (told.home / "kept").rename(told.home / "memory")
    for number in range(4):
        told.ok("remember", f"Pelican crane number {number}.")
    assert "set back" in told("retrieve", "pelican crane").only_line
    assert "set back" in findings_of(told("doctor", "--json"))["index"]["detail"]
    told.ok("maintain", "rebuild")
    assert all(f"number {number}." in told.ok("retrieve", "pelican crane").out for number in range(4))


def test_a_torn_store_says_that_it_is_torn_and_what_to_do(told: Voice) -> None:
    for manifest in (told.home / "memory" / "manifest").iterdir():
        os.truncate(manifest, manifest.stat().st_size // 2)
    found = findings_of(told("doctor", "--json"))["store"]
    assert "torn" in found["detail"]
    assert "try again" not in found["detail"]
    assert "restore-backup" in found["advice"]


def test_a_fault_of_the_settings_is_not_answered_with_a_backup(told: Voice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SURR_INNER_VOICE_RETRIEVAL", "nowhere")
    found = findings_of(told("doctor", "--json"))["store"]
    assert (found["state"], "backup" in found["advice"]) == ("fault", False)


def test_a_retrieval_provider_that_cannot_be_loaded_is_a_fault(told: Voice, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: InstalledProviders, name: str) -> None:
        raise ConfigurationError(f"the retrieval provider {name} cannot be loaded (ImportError); mend or remove it")

    monkeypatch.setattr(InstalledProviders, "named", fail)
    ran = told("doctor", "--json")
    assert (ran.code, findings_of(ran)["retrieval"]["state"]) == (1, "fault")


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
    assert (ran.code, "voice maintain rebuild" in findings_of(ran)["index"]["detail"]) == (1, True)
    told.ok("maintain", "rebuild")
    told.ok("doctor")
    assert (told.home / "index.aside-1").read_text() == "mine"


def test_whatever_breaks_a_check_up_is_a_finding(told: Voice, monkeypatch: pytest.MonkeyPatch) -> None:
    async def break_down(self: FoldedIndex) -> list[str]:
        raise RecursionError

    monkeypatch.setattr(FoldedIndex, "faults", break_down)
    ran = told("doctor", "--json")
    assert (ran.code, "RecursionError" in findings_of(ran)["store"]["detail"]) == (1, True)


def test_an_encoder_that_fails_is_told(told: Voice, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(self: HashedEmbedder, texts: object) -> list[bytes]:
        raise EmbedderUnavailable("the encoder is ill")

    monkeypatch.setattr(HashedEmbedder, "embed", fail)
    assert findings_of(told("doctor", "--json"))["encoder"]["state"] == "fault"


def test_a_remote_encoder_is_not_called(told: Voice, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"PROVIDER": "openai", "MODEL": "small", "DIM": "8", "API_KEY": "k"}.items():
        monkeypatch.setenv(f"SURR_EMBED_{name}", value)
    assert "was not called" in findings_of(told("doctor", "--json"))["encoder"]["detail"]


def test_settings_that_cannot_be_read_are_a_finding(told: Voice) -> None:
    (told.home / "voice.toml").write_text("enabled = perhaps\n")
    ran = told("doctor")
    assert ran.code == 1
    assert "✗ settings" in ran.out
    assert ran.err == ""


def test_settings_with_a_remark_and_a_missing_key_are_findings(told: Voice) -> None:
    (told.home / "voice.toml").write_text('[nonsense]\nx = 1\n[embed]\nprovider = "hash"\n')
    found = findings_of(told("doctor", "--json"))
    assert (found["settings"]["state"], found["gate"]["state"]) == ("remark", "remark")
    assert found["provider"]["state"] == "fault"


def test_a_key_that_others_can_read_is_a_finding(told: Voice) -> None:
    (told.home / "key").chmod(0o644)
    assert "chmod 600" in findings_of(told("doctor", "--json"))["store"]["detail"]


def test_a_directory_that_others_can_look_into_is_a_fault(told: Voice) -> None:
    told.home.chmod(0o755)
    ran = told("doctor", "--json")
    assert ran.code == 1
    assert "chmod 700" in findings_of(ran)["home"]["advice"]
