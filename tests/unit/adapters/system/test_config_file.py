"""voice.toml on disk."""

import os
import stat
from pathlib import Path

import pytest

from tables import tables
from voice.adapters.system.config_file import CONFIG_NAME, change_config, read_config, write_new_config
from voice.core.errors import ConfigurationError

TABLES = tables(__file__)


def test_a_file_that_is_not_there_is_an_empty_one(tmp_path: Path) -> None:
    assert read_config(tmp_path / "none" / CONFIG_NAME) == {}
    (tmp_path / CONFIG_NAME).write_text("enabled = true\n", encoding="utf-8")
    assert read_config(tmp_path / CONFIG_NAME) == {"enabled": True}


def test_what_is_written_is_read_back_and_belongs_to_its_owner(tmp_path: Path) -> None:
    path = tmp_path / "new home" / CONFIG_NAME
    write_new_config(path, 'enabled = true\n[llm]\nprovider = "extractive" # é\n')
    assert read_config(path) == {"enabled": True, "llm": {"provider": "extractive"}}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_writing_never_replaces_a_file(tmp_path: Path) -> None:
    path = tmp_path / CONFIG_NAME
    path.write_text("a = 1", encoding="utf-8")
    with pytest.raises(ConfigurationError, match="already exists"):
        write_new_config(path, "b = 2")
    assert read_config(path) == {"a": 1}


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(ConfigurationError, match="cannot be written"):
        write_new_config(tmp_path / "file" / CONFIG_NAME, "")


def test_a_full_disk_leaves_no_half_file_and_the_one_that_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    new, kept = tmp_path / "new.toml", tmp_path / CONFIG_NAME
    kept.write_text("key = 1\n", encoding="utf-8")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ConfigurationError, match="No space left on device"):
        write_new_config(new, "enabled = true")
    with pytest.raises(ConfigurationError, match="No space left on device"):
        change_config(kept, "", "key", "3")
    assert kept.read_text(encoding="utf-8") == "key = 1\n"
    assert not new.exists()


@pytest.mark.requirement("promise:6")
@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"key = canary oops", "is not valid TOML at line 1, column 7"),
        (b'key = "canary', "is not valid TOML at end of document"),
        (b"canary = 1\ncanary = 2\n[x]", "is not valid TOML at line 2, column 11"),
        (b"canary = '\xff'", "is not UTF-8 text"),
        (b"canary = " + b"1" * 5000, "is not valid TOML"),
        (b"canary = " + b"[" * 5000, "is not valid TOML"),
        (b"#canary" + b" " * 1_000_001, "too large for a settings file"),
    ],
)
def test_a_broken_file_is_named_with_the_place_and_none_of_its_content(
    tmp_path: Path, content: bytes, said: str
) -> None:
    path = tmp_path / CONFIG_NAME
    path.write_bytes(content)
    with pytest.raises(ConfigurationError) as caught:
        read_config(path)
    assert said in caught.value.message
    assert "canary" not in caught.value.message


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / CONFIG_NAME).mkdir()
    with pytest.raises(ConfigurationError, match="cannot be read: Is a directory"):
        read_config(tmp_path / CONFIG_NAME)


@pytest.mark.requirement("grounding:owner:who")
@pytest.mark.parametrize(("before", "table", "after"), TABLES["a_changed_key_is_one_line_and_every_other_stays"])
def test_a_changed_key_is_one_line_and_every_other_stays(tmp_path: Path, before: str, table: str, after: str) -> None:
    path, link = tmp_path / "kept.toml", tmp_path / CONFIG_NAME
    link.symlink_to(path)
    for named in (path, link):
        path.write_text(before, encoding="utf-8")
        change_config(named, table, "key", "3")
        assert (path.read_text(encoding="utf-8"), link.readlink()) == (after, path)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert {each.name for each in tmp_path.iterdir()} == {path.name, CONFIG_NAME}


@pytest.mark.parametrize(
    "written", ['[b]\nkey = """\n1"""\n', "[b]\nkey = [\n1]\n", "b = {key = 1}\n", '[b]\nkey = """\n[c]\n"""\n']
)
def test_a_value_on_several_lines_is_left_to_its_owner(tmp_path: Path, written: str) -> None:
    path = tmp_path / CONFIG_NAME
    path.write_text(written, encoding="utf-8")
    with pytest.raises(ConfigurationError, match="spans several lines of"):
        change_config(path, "b", "key", "3")
    assert path.read_text(encoding="utf-8") == written
