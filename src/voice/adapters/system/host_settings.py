"""The settings of hosts, as files in a person's home directory.

Law: the new text is made before anything is written, so that it can be shown; a file is replaced as a whole and keeps
its mode, and of a link the target is written. A file that cannot be parsed is refused with the place of the fault, and
is not changed.

Source: docs/capture.md.
"""

import os
import stat
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from voice.adapters.disk.private_files import replacing
from voice.core.capture.hosts import (
    Host,
    commands_in,
    has_toml_hooks,
    toml_commands,
    toml_with_hook,
    toml_without_hook,
    with_hook,
    without_hook,
)
from voice.core.errors import ConfigurationError

_HOOKS_ALONE: Final = "hooks.json"  # of Codex
_MOST_BYTES: Final = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsFile:
    """The file of a host's settings that holds its hooks. Raises `ConfigurationError` if it cannot be parsed or
    written."""

    path: Path
    host: Host
    text: str
    """Its content; empty if it does not exist."""

    @property
    def is_toml(self) -> bool:
        """Whether it is Codex's config.toml."""
        return self.path.suffix == ".toml"

    def installed(self) -> tuple[str, ...]:
        """Return the commands of ours in it."""
        with _errors_of(self.path):
            if not self.text.strip():
                return ()
            return tuple(toml_commands(self.text) if self.is_toml else commands_in(self.text, self.host))

    def with_hook(self, command: str) -> str:
        """Return the text with our hook."""
        with _errors_of(self.path):
            return toml_with_hook(self.text, command) if self.is_toml else with_hook(self.text, self.host, command)

    def without_hook(self) -> str:
        """Return the text without our hook."""
        with _errors_of(self.path):
            if not self.text.strip():
                return self.text
            return toml_without_hook(self.text) if self.is_toml else without_hook(self.text, self.host)

    def write(self, text: str) -> None:
        """Replace the file's content; a file of hooks alone goes with the last."""
        path = self.path.resolve()  # of a link, its target
        try:
            if path.name == _HOOKS_ALONE and text.strip() == "{}":  # made for our hook, which is gone
                return path.unlink(missing_ok=True)
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else None
            with replacing(path) as file:
                if mode is not None:
                    os.fchmod(file.fileno(), mode)  # `replacing` makes it 0600
                file.write(text.encode("utf-8"))
        except OSError as error:
            raise ConfigurationError(f"{path} cannot be written: {error.strerror}") from None


@contextmanager
def _errors_of(path: Path) -> Generator[None]:
    """Add the file's path to an error in the block."""
    try:
        yield
    except ConfigurationError as fault:
        raise ConfigurationError(f"{path} {fault.message}; nothing was changed") from None


def settings_of(host: Host, home: Path, env: Mapping[str, str]) -> SettingsFile:
    """Return the file with a host's hooks, in the person's home directory or where `env` says. Raises
    ConfigurationError: it cannot be read."""
    match host:
        case Host.CLAUDE_CODE:
            path = Path(env.get("CLAUDE_CONFIG_DIR") or home / ".claude") / "settings.json"
        case Host.GEMINI_CLI:
            path = Path(env.get("GEMINI_CLI_HOME") or home) / ".gemini" / "settings.json"
        case Host.CODEX:
            path = _codex_file(codex_home(home, env))
    return SettingsFile(path=path, host=host, text=_read(path))


def codex_home(home: Path, env: Mapping[str, str]) -> Path:
    """Return the folder of Codex's settings and rollouts."""
    return Path(env.get("CODEX_HOME") or home / ".codex")


def _codex_file(folder: Path) -> Path:
    """Return the file with Codex's hooks, which are in one of two files, never in both."""
    config, hooks = folder / "config.toml", folder / _HOOKS_ALONE
    text = _read(config)
    with _errors_of(config):
        # The first only if it has hooks already and the second does not exist.
        return config if not hooks.exists() and has_toml_hooks(text) else hooks


def _read(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)  # one more byte tells that it is too large
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {error.strerror}") from None
    if len(content) > _MOST_BYTES:
        raise ConfigurationError(f"{path} is too large for a settings file; nothing was changed")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        raise ConfigurationError(f"{path} is not UTF-8 text; nothing was changed") from None
