"""Exceptions for a run that cannot go on. Content problems are findings, not exceptions."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from regc.model.result import Finding


class RegcError(Exception):
    """A run that cannot go on. `hint` is the next step that the user can take."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class UnknownNameError(RegcError):
    """A name that no registry has; the message suggests the nearest."""


class SourceError(RegcError):
    """An input file that cannot be read as a regulation at all."""


class DataFileError(RegcError):
    """A user's data file (vehicle, targets, road, prices, mapping) that cannot be used."""


class TemplateFailedError(RegcError):
    """A template of regc's own, or of a built-in regulation, that cannot write a scenario; no fault of the user's."""


class OutputError(RegcError):
    """An output folder or file that cannot be written."""


class MissingExtraError(RegcError):
    """An optional package that the chosen part needs; `extra` is the extra of regc that brings it."""

    def __init__(self, message: str, *, extra: str = "", hint: str = "") -> None:
        super().__init__(message, hint=hint or install(extra))


def install(extra: str) -> str:
    """The command that brings an extra, from the index and in a checkout."""
    return f'pip install "regc[{extra}]" (in a checkout: pip install ".[{extra}]")'


class LLMError(RegcError):
    """A language model that gave no usable answer: transport, budget, refusal, missing recorded reply."""


class TargetRefusedError(RegcError):
    """A target or profile that cannot express what the scenarios need."""


class SimulationError(RegcError):
    """A simulation engine that could not be started at all."""


class StagingError(RegcError):
    """A test that cannot be laid out for driving: a binding it needs is missing, or no geometry keeps what it asks."""


class ProfileRefusedError(RegcError):
    """A profile whose check found errors, so that nothing is written; `findings` are all that was found."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        count = sum(finding.severity == "error" for finding in findings)
        self.findings = tuple(findings)
        super().__init__(f"{count} error{'s' if count != 1 else ''} in profile or document", hint="--force writes, each file marked")
