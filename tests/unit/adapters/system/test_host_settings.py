"""Where hosts keep their settings, and how these are written."""

from pathlib import Path

import pytest

from voice.adapters.system.host_settings import settings_of
from voice.core.capture.hosts import Host
from voice.core.errors import ConfigurationError

pytestmark = pytest.mark.requirement("capture:install")
COMMAND = "voice hook run claude-code"


@pytest.mark.parametrize(
    ("host", "env", "place"),
    [
        (Host.CLAUDE_CODE, {}, ".claude/settings.json"),
        (Host.CLAUDE_CODE, {"CLAUDE_CONFIG_DIR": "{}/c"}, "c/settings.json"),
        (Host.CODEX, {}, ".codex/hooks.json"),
        (Host.CODEX, {"CODEX_HOME": "{}/c"}, "c/hooks.json"),
        (Host.GEMINI_CLI, {}, ".gemini/settings.json"),
        (Host.GEMINI_CLI, {"GEMINI_CLI_HOME": "{}/g"}, "g/.gemini/settings.json"),
    ],
)
def test_each_host_has_its_place(tmp_path: Path, host: Host, env: dict[str, str], place: str) -> None:
    told = {name: value.format(tmp_path) for name, value in env.items()}
    assert settings_of(host, tmp_path, told).path == tmp_path / place


def test_codexs_hooks_stay_in_the_one_place_that_has_them(tmp_path: Path) -> None:
    folder = tmp_path / ".codex"
    folder.mkdir()
    (folder / "config.toml").write_text("[[hooks.Stop]]\n", encoding="utf-8")
    file = settings_of(Host.CODEX, tmp_path, {})
    assert file.path.name == "config.toml"
    file.write(file.with_hook("voice hook run codex"))
    again = settings_of(Host.CODEX, tmp_path, {})
    assert again.installed() == ("voice hook run codex",)
    assert again.without_hook() == "[[hooks.Stop]]\n"
    (folder / "hooks.json").write_text("{}", encoding="utf-8")
    assert settings_of(Host.CODEX, tmp_path, {}).path.name == "hooks.json"
    (folder / "hooks.json").unlink()
    (folder / "config.toml").write_text("x = ", encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"config\.toml is not valid TOML; nothing was changed"):
        settings_of(Host.CODEX, tmp_path, {})


def test_a_file_is_made_private_or_keeps_its_rights_and_a_link_stays_one(tmp_path: Path) -> None:
    file = settings_of(Host.CLAUDE_CODE, tmp_path, {})
    assert file.installed() == ()
    assert file.without_hook() == ""
    file.write(file.with_hook(COMMAND))
    assert file.path.stat().st_mode & 0o777 == 0o600
    real = tmp_path / "dotfiles.json"
    file.path.rename(real)
    real.chmod(0o644)
    file.path.symlink_to(real)
    linked = settings_of(Host.CLAUDE_CODE, tmp_path, {})
    assert linked.installed() == (COMMAND,)
    linked.write(linked.without_hook())
    assert linked.path.is_symlink()
    assert real.read_text("utf-8") == "{}\n"
    assert real.stat().st_mode & 0o777 == 0o644


def test_what_cannot_be_read_or_written_is_named(tmp_path: Path) -> None:
    place = tmp_path / ".claude" / "settings.json"
    place.parent.mkdir()
    for content, said in ((b"\xff", "is not UTF-8 text"), (b" " * 5_000_000, "is too large")):
        place.write_bytes(content)
        with pytest.raises(ConfigurationError, match=said):
            settings_of(Host.CLAUDE_CODE, tmp_path, {})
    place.unlink()
    place.mkdir()
    with pytest.raises(ConfigurationError, match="cannot be read"):
        settings_of(Host.CLAUDE_CODE, tmp_path, {})
    (tmp_path / ".gemini").write_text("", encoding="utf-8")
    with pytest.raises(ConfigurationError, match="cannot be read"):
        settings_of(Host.GEMINI_CLI, tmp_path, {})
    blocked = settings_of(Host.CODEX, tmp_path, {"CODEX_HOME": str(tmp_path / "c")})
    (tmp_path / "c").write_text("", encoding="utf-8")
    with pytest.raises(ConfigurationError, match="cannot be written"):
        blocked.write("{}")
