"""Runs `voice` and tells what its imports cost: `python bench/import_watch.py FILE ARGUMENT...`.

Each line of FILE is a module's name and the CPU milliseconds that executing it took without the modules it imported. It
is a program of its own and imports next to nothing, so that what it tells is what the command imports. (The
interpreter's own log, `-X importtime`, counts the time that other programs took meanwhile.)
"""

import atexit
import sys
from importlib.machinery import PathFinder
from time import process_time

_took: dict[str, float] = {}
_within: list[float] = []


class _Watched:
    """Finds modules as the interpreter does, and times how each is executed."""

    find_distributions = PathFinder.find_distributions
    invalidate_caches = PathFinder.invalidate_caches

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> object:
        found = PathFinder.find_spec(name, path, target)  # type: ignore[arg-type]
        if found is not None and found.loader is not None:
            inner = found.loader.exec_module

            def timed(module: object) -> None:
                begun = process_time()
                _within.append(0.0)
                try:
                    inner(module)  # type: ignore[arg-type]
                finally:
                    whole = process_time() - begun
                    _took[name] = whole - _within.pop()
                    if _within:
                        _within[-1] += whole

            found.loader.exec_module = timed  # type: ignore[method-assign]
        return found


def _tell(place: str, before: frozenset[str]) -> None:
    with open(place, "w", encoding="utf-8") as file:  # noqa: PTH123 - pathlib would be one more import
        file.writelines(f"{name} {_took.get(name, 0.0) * 1000:.3f}\n" for name in sys.modules if name not in before)


if __name__ == "__main__":
    sys.path[0] = ""
    atexit.register(_tell, sys.argv[1], frozenset(sys.modules))
    sys.argv[:] = ["voice", *sys.argv[2:]]
    sys.meta_path[:] = [each for each in sys.meta_path if each is not PathFinder]
    sys.meta_path.append(_Watched)  # pyright: ignore[reportArgumentType]  # its module is any object
    from voice.entrypoints.cli.main import main

    main()
