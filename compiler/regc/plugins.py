"""Every kind of plug-in with the protocol that its modules keep (model/protocols.py)."""

from __future__ import annotations

from regc.model.protocols import Command, EmbedderModule, ReaderModule, ReportModule, RetrieverModule, Target
from regc.registry import Kind

READERS: Kind[ReaderModule] = Kind("readers")
TARGETS: Kind[Target] = Kind("targets")
REPORTS: Kind[ReportModule] = Kind("report")
RETRIEVERS: Kind[RetrieverModule] = Kind("retrieve", ("research.retrieve",))
EMBEDDERS: Kind[EmbedderModule] = Kind("embed")
COMMANDS: Kind[Command] = Kind("commands")
