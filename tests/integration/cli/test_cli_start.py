"""Starting the command: what is imported, what is said when nothing can be done, how it completes."""

import os
import re
import shlex
import subprocess
import sys

import pytest

import voice.entrypoints.cli.main as start
from cli_runner import Documented, Run, Voice, failing, run_command
from tables import tables
from voice.entrypoints.cli.main import SUGGESTIONS

TABLES = tables(__file__)

_HEAVY = (
    *("numpy", "onnxruntime", "surrealdb", "litellm", "google", "genai_prices", "httpx", "pydantic", "rich", "anyio"),
    *("asyncio", "rapidfuzz", "regex", "snowballstemmer", "jsonschema", "yaml", "platformdirs", "structlog"),
    *("opentelemetry", "tenacity", "prompt_toolkit", "voice.bootstrap", "voice.services", "voice.adapters"),
)


def run(*command: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, input="", capture_output=True, text=True, env={**os.environ, **env}, timeout=60, check=False
    )


def run_code(*lines: str, **env: str) -> subprocess.CompletedProcess[str]:
    return run(sys.executable, "-c", "\n".join(("import sys", *lines)), **env)


def loaded(names: tuple[str, ...], *lines: str, **env: str) -> list[str]:
    """Return which of these modules a process has loaded that ran these lines."""
    ran = run_code(*lines, f"print('loaded:', *[name for name in {names!r} if name in sys.modules])", **env)
    heading, *found = ran.stdout.splitlines()[-1].split()
    assert heading == "loaded:", ran.stderr
    return found


def wrapping(cause: BaseException) -> RuntimeError:
    error = RuntimeError("Error calling __set_name__")
    error.__cause__ = cause
    return error


@pytest.mark.parametrize("error", ["KeyboardInterrupt", "RuntimeError('of a class') from KeyboardInterrupt()"])
def test_ctrl_c_while_the_command_is_loaded_ends_it_in_one_line(error: str) -> None:
    stop = f"class Stop:\n  def find_spec(name, *rest):\n    if name == 'click':\n      raise {error}"
    ran = run_code(stop, "sys.meta_path.insert(0, Stop)", "from voice.__main__ import main", "main()")
    assert (ran.returncode, ran.stderr) == (130, "voice: stopped\n")


def test_no_warning_of_a_library_reaches_a_person() -> None:
    warns = "import warnings; sys.exit = lambda code: warnings.warn('unawaited', RuntimeWarning)"
    said = run_code(warns, "from voice.entrypoints.cli.main import main", "main(['--version'])")
    assert (said.returncode, said.stdout[:5], said.stderr) == (0, "voice", "")


def test_nothing_heavy_is_imported_to_show_any_help() -> None:
    shown = [f"exit_code({each!r})" for each in (["--help"], ["nonsense"], [])]
    modules = sorted({place.partition(":")[0] for place in start.COMMANDS.values()})
    imports = [f"import voice.entrypoints.cli.{module}" for module in modules]
    assert loaded(_HEAVY, "from voice.entrypoints.cli.main import exit_code", *shown, *imports) == []


def test_the_help_lists_every_command_on_one_screen(run_voice: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = run_voice(["--help"]).out.splitlines()
    assert (len(lines) <= 24, max(map(len, lines)) <= 80) == (True, True)
    assert [line.split()[0] for line in lines[lines.index("Every day:") + 1 :][:5]] == [*start.COMMANDS][:5]
    assert start.COMMANDS.keys() <= set(re.findall(r"\w+", "\n".join(lines)))


def test_a_wrong_use_is_one_line_that_says_where_help_is(run_voice: Run) -> None:
    for arguments, said in TABLES["a_wrong_use_is_one_line_that_says_where_help_is"]:
        ran = run_voice([*arguments])
        assert (ran.code, ran.out, said in ran.only_line) == (2, "", True), ran
        assert ran.only_line.startswith("voice: ")
        assert ran.only_line.isprintable()


def test_each_command_that_is_named_for_a_word_is_one(run_voice: Run) -> None:
    meant = {each for every in SUGGESTIONS.values() for each in every}
    assert [each for each in meant if run_voice([*each.split(), "--help"]).code] == []
    for command, named in (([], "voice demo"), (["maintain"], "backup")):
        assert named in run_voice([*command]).out


def test_whatever_happens_is_one_line(
    voice: Voice, monkeypatch: pytest.MonkeyPatch, is_as_documented: Documented
) -> None:
    for error, code, said in (
        (KeyboardInterrupt(), 130, "stopped"),
        (wrapping(KeyboardInterrupt()), 130, "stopped"),
        (RuntimeError("secret"), 1, "something went wrong inside voice (RuntimeError); VOICE_DEBUG=1 shows where"),
        (PermissionError(13, "Permission denied", "/x"), 1, "the system refused: Permission denied (/x)"),
        (OSError("odd"), 1, "the system refused: OSError; fix that"),
    ):
        monkeypatch.setattr("voice.entrypoints.cli.config.describe", failing(error))
        assert voice.refused("config", code=code).startswith(f"voice: {said}")
        as_json = voice("config", "--json")
        is_as_documented("cli/error", as_json)
        assert said in as_json.out


def test_main_leaves_with_the_exit_code() -> None:
    with pytest.raises(SystemExit) as left:
        start.main(["nonsense"])
    assert left.value.code == 2


def test_a_reader_that_goes_away_is_no_failure(told: Voice) -> None:
    asked = f"{shlex.quote(sys.executable)} -m voice --home '{told.home}' retrieve kiln --floor 0 --explain"
    assert run("bash", "-c", f"({asked}; echo $? >&2) | true").stderr == "0\n"


@pytest.mark.parametrize(("asked", "code"), [("prompts list >&-", 0), ("ask - <&-", 2)])
def test_a_closed_output_is_no_failure_and_a_closed_input_is_empty(voice: Voice, asked: str, code: int) -> None:
    command = f"{shlex.quote(sys.executable)} -m voice --home '{voice.home}' {asked}"
    done = run("bash", "-c", command)
    assert (done.returncode, "internal_error" in done.stderr) == (code, False)


def test_a_full_disk_behind_the_output_is_told_and_is_a_failure() -> None:
    command = [sys.executable, "-m", "voice", "prompts", "list"]
    with open("/dev/full", "wb") as full:  # noqa: PTH123 - a device
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
    refused = "voice: the system refused: No space left on device; fix that and run it again [system_error]\n"
    assert (done.returncode, done.stderr) == (1, refused)


def test_an_output_that_is_not_utf8_gets_escapes_and_valid_json(voice: Voice) -> None:
    latin = {"PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"}
    ran = run_command("doctor", "--json", home=voice.home, env=latin)
    assert (ran.out.isascii(), ran.json["findings"] != []) == (True, True)
    assert "\\u2713" in run_command("doctor", home=voice.home, env=latin).out


def test_a_completion_script_is_printed(voice: Voice) -> None:
    assert [
        shell for shell in ("bash", "zsh", "fish") if "_VOICE_COMPLETE" not in voice.ok("completion", shell).out
    ] == []


def test_commands_and_options_complete(run_voice: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_VOICE_COMPLETE", "bash_complete")
    for typed, offered in (("voice reme", "remember"), ("voice forget t:01k1 --matc", "--matching")):
        monkeypatch.setenv("COMP_WORDS", typed)
        monkeypatch.setenv("COMP_CWORD", str(len(typed.split()) - 1))
        ran = run_voice([])
        assert (ran.code, ran.out) == (0, f"plain,{offered}\n")
