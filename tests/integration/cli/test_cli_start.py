"""Starting the command: what is imported, what is said when nothing can be done, how it completes."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable

import pytest

import voice.entrypoints.cli.main as start
from cli_runner import Ran, Voice, run_command
from tables import tables
from voice.entrypoints.cli.main import SUGGESTIONS
from voice.entrypoints.cli.terminal.printing import printable, printable_block

TABLES = tables(__file__)

_HEAVY = (
    *("numpy", "onnxruntime", "surrealdb", "litellm", "google", "genai_prices", "httpx", "pydantic", "rich", "anyio"),
    *("asyncio", "rapidfuzz", "regex", "snowballstemmer", "jsonschema", "yaml", "platformdirs", "structlog"),
    *("opentelemetry", "tenacity", "prompt_toolkit", "voice.bootstrap", "voice.services", "voice.adapters"),
)


def run(code: str, **env: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code]
    return subprocess.run(
        command, input="", capture_output=True, text=True, env={**os.environ, **env}, timeout=60, check=False
    )


def wrapping(cause: BaseException) -> RuntimeError:
    error = RuntimeError("Error calling __set_name__")
    error.__cause__ = cause
    return error


@pytest.mark.parametrize("error", ["KeyboardInterrupt", "RuntimeError('of a class') from KeyboardInterrupt()"])
def test_ctrl_c_while_the_command_is_loaded_ends_it_in_one_line(error: str) -> None:
    stop = f"class Stop:\n  def find_spec(name, *rest):\n    if name == 'click':\n      raise {error}"
    ran = run(f"import sys\n{stop}\nsys.meta_path.insert(0, Stop)\nfrom voice.__main__ import main\nmain()")
    assert (ran.returncode, ran.stderr) == (130, "voice: stopped\n")


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["nonsense"], []])
def test_nothing_heavy_is_imported_to_show_the_help(arguments: list[str]) -> None:
    code = f"""
import sys
from voice.entrypoints.cli.main import exit_code
code = exit_code({arguments!r})
loaded = [name for name in {_HEAVY!r} if name in sys.modules]
print("loaded:", *loaded, file=sys.stderr)
"""
    said = run(code).stderr.splitlines()
    assert said[-1] == "loaded:"


def test_no_warning_of_a_library_reaches_a_person() -> None:
    done = "import sys, warnings; sys.exit = lambda code: warnings.warn('unawaited', RuntimeWarning)"
    said = run(f"{done}\nfrom voice.entrypoints.cli.main import main\nmain(['--version'])")
    assert (said.returncode, said.stdout[:5], said.stderr) == (0, "voice", "")


@pytest.mark.parametrize("module", sorted({place.partition(":")[0] for place in start.COMMANDS.values()}))
def test_the_help_of_a_command_imports_nothing_heavy_either(module: str) -> None:
    code = f"""
import sys
from importlib import import_module
import_module("voice.entrypoints.cli.{module}")
print([name for name in {_HEAVY!r} if name in sys.modules])
"""
    assert run(code).stdout == "[]\n"


@pytest.mark.requirement("cli:chat:lines")
@pytest.mark.parametrize("arguments", [["sessions", "list"], ["ask", "Where is the kiln?"], ["chat"]])
def test_what_edits_lines_is_imported_at_a_terminal_alone(arguments: list[str], voice: Voice) -> None:
    voice.ok("remember", "Moved the kiln to the shed.")
    code = f"""
import sys
from voice.entrypoints.cli.main import exit_code
code = exit_code({arguments!r})
print("answered:", code, "prompt_toolkit" in sys.modules, file=sys.stderr)
"""
    asked = run(code, VOICE_HOME=str(voice.home), TERM="xterm")
    assert asked.stderr.splitlines()[-1] == "answered: 0 False"


def test_the_help_lists_every_command_on_one_screen(
    run_voice: Callable[[list[str], bytes], Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = run_voice(["--help"], b"").out.splitlines()
    assert (len(lines) <= 24, max(map(len, lines)) <= 80) == (True, True)
    assert [line.split()[0] for line in lines[lines.index("Every day:") + 1 :][:5]] == [*start.COMMANDS][:5]
    assert start.COMMANDS.keys() <= set(re.findall(r"\w+", "\n".join(lines)))


@pytest.mark.parametrize(("arguments", "said"), TABLES["a_wrong_use_is_one_line_that_says_where_help_is"])
def test_a_wrong_use_is_one_line_that_says_where_help_is(
    run_voice: Callable[[list[str], bytes], Ran], arguments: list[str], said: str
) -> None:
    ran = run_voice(arguments, b"")
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.only_line
    assert ran.only_line.startswith("voice: ")
    assert ran.only_line.isprintable()


@pytest.mark.parametrize("meant", sorted({each for every in SUGGESTIONS.values() for each in every}))
def test_each_command_that_is_named_for_a_word_is_one(run_voice: Callable[[list[str], bytes], Ran], meant: str) -> None:
    assert run_voice([*meant.split(), "--help"], b"").code == 0


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (KeyboardInterrupt(), 130, "voice: stopped"),
        (wrapping(KeyboardInterrupt()), 130, "voice: stopped"),
        (
            RuntimeError("a secret"),
            1,
            "voice: something went wrong inside voice (RuntimeError); VOICE_DEBUG=1 shows where",
        ),
        (
            PermissionError(13, "Permission denied", "/data/x"),
            1,
            "voice: the system refused: Permission denied (/data/x)",
        ),
        (OSError(28, "No space left on device"), 1, "voice: the system refused: No space left on device; fix that"),
        (OSError("odd"), 1, "voice: the system refused: OSError; fix that"),
    ],
)
def test_whatever_happens_is_one_line(
    voice: Voice,
    monkeypatch: pytest.MonkeyPatch,
    is_as_documented: Callable[[str, Ran], None],
    error: BaseException,
    code: int,
    said: str,
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr("voice.entrypoints.cli.config.describe", fail)
    ran = voice("config")
    assert ran.code == code
    assert ran.only_line.startswith(said)
    as_json = voice("config", "--json")
    is_as_documented("cli/error", as_json)
    assert said.removeprefix("voice: ") in as_json.out


def test_who_asks_for_it_sees_the_traceback(voice: Voice, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("here")

    monkeypatch.setattr("voice.entrypoints.cli.config.describe", fail)
    monkeypatch.setenv("VOICE_DEBUG", "1")
    with pytest.raises(RuntimeError, match="here"):
        voice("config")


def test_main_leaves_with_the_exit_code(run_voice: Callable[[list[str], bytes], Ran]) -> None:
    with pytest.raises(SystemExit) as left:
        start.main(["nonsense"])
    assert left.value.code == 2


@pytest.mark.parametrize("asked", ["prompts show answer", "retrieve kiln --floor 0 --explain"])
def test_a_reader_that_goes_away_is_no_failure(voice: Voice, asked: str) -> None:
    voice.ok("remember", *(f"--tag=t{number}" for number in range(3)), "The kiln stands in the shed.")
    piped = f"({shlex.quote(sys.executable)} -m voice --home '{voice.home}' {asked}; echo $? >&2) | true"
    done = subprocess.run(["bash", "-c", piped], capture_output=True, text=True, timeout=60, check=False)
    assert done.stderr == "0\n"


@pytest.mark.parametrize(("asked", "code"), [("prompts list >&-", 0), ("ask - <&-", 2)])
def test_a_closed_output_is_no_failure_and_a_closed_input_is_empty(voice: Voice, asked: str, code: int) -> None:
    command = f"{shlex.quote(sys.executable)} -m voice --home '{voice.home}' {asked}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60, check=False)
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
    assert ran.out.isascii()
    assert ran.json
    assert "\\u2713" in run_command("doctor", home=voice.home, env=latin).out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_completion_script_is_printed(voice: Voice, shell: str) -> None:
    assert "_VOICE_COMPLETE" in voice.ok("completion", shell).out


def test_commands_and_options_complete(
    run_voice: Callable[[list[str], bytes], Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_VOICE_COMPLETE", "bash_complete")
    lines = {
        "voice reme": "plain,remember",
        "voice ask --sta": "plain,--stance",
        "voice forget t:01k1 --matc": "plain,--matching",
    }
    for typed, offered in lines.items():
        monkeypatch.setenv("COMP_WORDS", typed)
        monkeypatch.setenv("COMP_CWORD", str(len(typed.split()) - 1))
        ran = run_voice([], b"")
        assert (ran.code, ran.out.strip()) == (0, offered)


@pytest.mark.parametrize(("text", "line"), TABLES["text_on_one_line_steers_nothing"])
def test_text_on_one_line_steers_nothing(text: str, line: str) -> None:
    assert printable(text) == line


def test_a_block_of_text_keeps_its_lines_and_tabs_and_nothing_else() -> None:
    assert printable_block("a\r\n\tb\x1b]0;title\x07\n\x0bc\x00") == "a\n\tb]0;title\nc"


def test_a_question_that_is_answered_offline_loads_nothing_of_what_only_others_need(voice: Voice) -> None:
    voice.ok("remember", "Moved the kiln to the shed.")
    unused = ("httpx", "tenacity", "yaml", "jsonschema", "litellm", "google.genai", "genai_prices")
    code = f"""
import sys
from voice.entrypoints.cli.main import exit_code
code = exit_code(["--home", {str(voice.home)!r}, "ask", "Where is the kiln?"])
print(code, *[name for name in {unused!r} if name in sys.modules], file=sys.stderr)
"""
    assert run(code).stderr.splitlines()[-1] == "0"
