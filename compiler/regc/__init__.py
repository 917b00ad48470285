"""regc compiles vehicle-safety regulations into test cases and simulation files, each number traced to its place.

From Python: `compile_regulation(Request("un152"))` gives the tests, `build` writes them; docs/python.md shows both.
"""

from __future__ import annotations

import importlib

TYPE_CHECKING = False  # as typing has it: its import would take a third of the time to the first line of the program
if TYPE_CHECKING:
    from regc.pipeline.build import build, compile_regulation
    from regc.pipeline.request import Built, Compiled, Request

__version__ = "0.1.0"

#: Public name -> the module that has it, imported when it is asked for.
_AT = {
    "Built": "pipeline.request",
    "Compiled": "pipeline.request",
    "Request": "pipeline.request",
    "build": "pipeline.build",
    "compile_regulation": "pipeline.build",
}

__all__ = ["Built", "Compiled", "Request", "build", "compile_regulation"]


def __getattr__(name: str) -> object:
    if name not in _AT:
        raise AttributeError(f"module 'regc' has no attribute {name!r}")
    return getattr(importlib.import_module(f"regc.{_AT[name]}"), name)
