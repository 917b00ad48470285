"""Every kind of plug-in with the protocol that its modules keep (model/protocols.py)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regc.registry import Kind

if TYPE_CHECKING:  # the protocols bring every type of the model, and each run of the command line loads this module
    from regc.model.protocols import Command, EmbedderModule, ReaderModule, ReportModule, RetrieverModule, Target

READERS: Kind[ReaderModule] = Kind("readers")
TARGETS: Kind[Target] = Kind("targets")
REPORTS: Kind[ReportModule] = Kind("report")
RETRIEVERS: Kind[RetrieverModule] = Kind("retrieve", ("research.retrieve",))
EMBEDDERS: Kind[EmbedderModule] = Kind("embed")
COMMANDS: Kind[Command] = Kind("commands")
