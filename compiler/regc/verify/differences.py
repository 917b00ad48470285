"""What the second reader found: differences with file, path, value and what it should be, and how much was computed."""

from __future__ import annotations

from typing import Literal

from regc.model.result import Finding
from regc.model.source import Frozen

#: Code -> what a user does next.
_NEXT = {
    "V561": "compare the place with the document (regc show); build again where the file was changed",
    "V562": "build again; a formula and its number are made together",
    "V563": "build again; one of both files was changed or comes from another build",
    "V564": "build again; a number of a file follows from the lines of its sheet",
    "V565": "build again, or take the file from where the folder came",
    "V566": "build again, or take the file from where the folder came",
    "V567": "remove the file, or keep your own files in a folder of their own",
    "V568": "give the document that the build was made from with --source FILE",
    "V569": "build again",
    "V570": "compare the place with the document (regc show)",
    "V571": "build first: regc build",
    "V572": "build again, or take the file from where the folder came",
    "V573": "write the report again with regc report: it was changed, or is of an earlier build",
}


class Difference(Frozen):
    """One thing that is not as the document, a formula or the manifest says. `path`: where in the file ("" for all of it), `said`: what
    stands there, `held`: what should. `scenario`: whose number it is."""

    code: str
    file: str
    path: str = ""
    said: str = ""
    held: str = ""
    scenario: str = ""
    severity: Literal["error", "warning"] = "error"

    def finding(self) -> Finding:
        """As the finding of a build."""
        where = f"{self.file}: {self.path}" if self.path else self.file
        told = f"{where}: {self.said}; {self.held}" if self.said else f"{where}: {self.held}"
        return Finding(
            code=self.code, severity=self.severity, message=told, scenario=self.scenario or None, field=self.path or None,
            place=self.file, hint=_NEXT[self.code],
        )  # fmt: skip


class Verified(Frozen):
    """`read`: numbers of the document read again at their places, `calculated`: numbers calculated again, `files`: that hold one of
    them, `hashed`: files whose bytes are as the manifest says. `again`: what a second build of the same document said, where one was
    made."""

    differences: tuple[Difference, ...]
    read: int
    calculated: int
    files: int
    hashed: int
    again: str = ""

    @property
    def clean(self) -> bool:
        """Something was computed and nothing differs."""
        return self.read > 0 and not any(item.severity == "error" for item in self.differences)

    @property
    def line(self) -> str:
        """What was computed, in one line."""
        what = f"{self.read} numbers in {self.files} files read again at their places, {self.calculated} recalculated"
        wrong = sum(item.severity == "error" for item in self.differences)
        held = f"{what}, all other bytes of {self.hashed} files by the manifest"
        return "; ".join(part for part in (held, self.again, f"{wrong} differences" if wrong else "") if part)
