"""Starting the command: what is imported, what is said when nothing can be done, how it completes."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import voice.entrypoints.cli.main as start
from cli_runner import Documented, Run, Voice, failing, run_command
from tables import tables
from voice.adapters.system import config_file
from voice.core.text.display import printable, printable_block
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


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["nonsense"], []])
def test_nothing_heavy_is_imported_to_show_the_help(arguments: list[str]) -> None:
    assert loaded(_HEAVY, "from voice.entrypoints.cli.main import exit_code", f"exit_code({arguments!r})") == []


def test_no_warning_of_a_library_reaches_a_person() -> None:
    warns = "import warnings; sys.exit = lambda code: warnings.warn('unawaited', RuntimeWarning)"
    said = run_code(warns, "from voice.entrypoints.cli.main import main", "main(['--version'])")
    assert (said.returncode, said.stdout[:5], said.stderr) == (0, "voice", "")


@pytest.mark.parametrize("module", sorted({place.partition(":")[0] for place in start.COMMANDS.values()}))
def test_the_help_of_a_command_imports_nothing_heavy_either(module: str) -> None:
    assert loaded(_HEAVY, f"import voice.entrypoints.cli.{module}") == []


@pytest.mark.requirement("cli:chat:lines")
@pytest.mark.parametrize("arguments", [["sessions", "list"], ["ask", "Where is the kiln?"], ["chat"]])
def test_what_edits_lines_is_imported_at_a_terminal_alone(arguments: list[str], told: Voice) -> None:
    ends_well = f"assert exit_code({arguments!r}) == 0"
    lines = ("from voice.entrypoints.cli.main import exit_code", ends_well)
    assert loaded(("prompt_toolkit",), *lines, VOICE_HOME=str(told.home), TERM="xterm") == []


def test_the_help_lists_every_command_on_one_screen(run_voice: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = run_voice(["--help"]).out.splitlines()
    assert (len(lines) <= 24, max(map(len, lines)) <= 80) == (True, True)
    assert [line.split()[0] for line in lines[lines.index("Every day:") + 1 :][:5]] == [*start.COMMANDS][:5]
    assert start.COMMANDS.keys() <= set(re.findall(r"\w+", "\n".join(lines)))


@pytest.mark.parametrize(("arguments", "said"), TABLES["a_wrong_use_is_one_line_that_says_where_help_is"])
def test_a_wrong_use_is_one_line_that_says_where_help_is(run_voice: Run, arguments: list[str], said: str) -> None:
    ran = run_voice(arguments)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.only_line
    assert ran.only_line.startswith("voice: ")
    assert ran.only_line.isprintable()


@pytest.mark.parametrize("meant", sorted({each for every in SUGGESTIONS.values() for each in every}))
def test_each_command_that_is_named_for_a_word_is_one(run_voice: Run, meant: str) -> None:
    assert run_voice([*meant.split(), "--help"]).code == 0


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (KeyboardInterrupt(), 130, "stopped"),
        (wrapping(KeyboardInterrupt()), 130, "stopped"),
        (RuntimeError("secret"), 1, "something went wrong inside voice (RuntimeError); VOICE_DEBUG=1 shows where"),
        (PermissionError(13, "Permission denied", "/x"), 1, "the system refused: Permission denied (/x)"),
        (OSError(28, "No space left on device"), 1, "the system refused: No space left on device; fix that"),
        (OSError("odd"), 1, "the system refused: OSError; fix that"),
    ],
)
def test_whatever_happens_is_one_line(
    voice: Voice,
    monkeypatch: pytest.MonkeyPatch,
    is_as_documented: Documented,
    error: BaseException,
    code: int,
    said: str,
) -> None:
    monkeypatch.setattr("voice.entrypoints.cli.config.describe", failing(error))
    assert voice.refused("config", code=code).startswith(f"voice: {said}")
    as_json = voice("config", "--json")
    is_as_documented("cli/error", as_json)
    assert said in as_json.out


def test_who_asks_for_it_sees_the_traceback(voice: Voice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voice.entrypoints.cli.config.describe", failing(RuntimeError("here")))
    monkeypatch.setenv("VOICE_DEBUG", "1")
    with pytest.raises(RuntimeError, match="here"):
        voice("config")


def test_main_leaves_with_the_exit_code() -> None:
    with pytest.raises(SystemExit) as left:
        start.main(["nonsense"])
    assert left.value.code == 2


@pytest.mark.parametrize("asked", ["prompts show answer", "retrieve kiln --floor 0 --explain"])
def test_a_reader_that_goes_away_is_no_failure(voice: Voice, asked: str) -> None:
    voice.ok("remember", *(f"--tag=t{number}" for number in range(3)), "The kiln stands in the shed.")
    piped = f"({shlex.quote(sys.executable)} -m voice --home '{voice.home}' {asked}; echo $? >&2) | true"
    assert run("bash", "-c", piped).stderr == "0\n"


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


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_completion_script_is_printed(voice: Voice, shell: str) -> None:
    assert "_VOICE_COMPLETE" in voice.ok("completion", shell).out


@pytest.mark.parametrize(
    ("typed", "offered"),
    [("voice reme", "remember"), ("voice ask --sta", "--stance"), ("voice forget t:01k1 --matc", "--matching")],
)
def test_commands_and_options_complete(
    run_voice: Run, monkeypatch: pytest.MonkeyPatch, typed: str, offered: str
) -> None:
    monkeypatch.setenv("_VOICE_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", typed)
    monkeypatch.setenv("COMP_CWORD", str(len(typed.split()) - 1))
    ran = run_voice([])
    assert (ran.code, ran.out) == (0, f"plain,{offered}\n")


@pytest.mark.parametrize(("text", "line"), TABLES["text_on_one_line_steers_nothing"])
def test_text_on_one_line_steers_nothing(text: str, line: str) -> None:
    assert printable(text) == line


def test_a_block_of_text_keeps_its_lines_and_tabs_and_nothing_else() -> None:
    assert printable_block("a\r\n\tb\x1b]0;title\x07\n\x0bc\x00") == "a\n\tb]0;title\nc"


@pytest.mark.parametrize("command", TABLES["a_command_reads_its_settings_once"])
def test_a_command_reads_its_settings_once(
    voice: Voice, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    read: list[Path] = []

    def empty(path: Path) -> dict[str, object]:
        read.append(path)
        return {}

    monkeypatch.setattr(config_file, "read_config", empty)
    voice(*command)
    assert len(read) == 1
