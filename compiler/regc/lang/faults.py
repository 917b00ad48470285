"""A fault of a profile, or of a profile against its document: code, place in the profile, message, next step."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable

from regc.errors import RegcError
from regc.model.result import Finding


class ProfileError(RegcError):
    """One fault. `code`: P1xx names and shape, L2xx places, T3xx tables, E4xx expressions and types, X5xx worked examples.

    `place` is the file and line of the profile ("profile.toml:47") and `test` which test was being made; both are filled in on the way
    up, by who knows them. `names` are the bindings that it is about, for who would take one away. `others` are faults of the same kind
    that stand beside it: further words that the vocabulary does not have.
    """

    others: tuple[ProfileError, ...] = ()

    def __init__(self, code: str, message: str, hint: str = "", place: str = "", test: str = "", names: tuple[str, ...] = ()) -> None:
        super().__init__(message, hint=hint)
        self.code, self.message, self.place, self.test, self.names = code, message, place, test, names

    def __str__(self) -> str:
        where = f"{self.place or 'profile'}{f' (test {self.test})' if self.test else ''}"
        return f"error[{self.code}] {where}\n  {self.message}" + (f"\n  help: {self.hint}" if self.hint else "")

    def findings(self) -> tuple[Finding, ...]:
        """It and those beside it."""
        return (self.finding(), *(other.finding() for other in self.others))

    def finding(self, *, warning: bool = False) -> Finding:
        """The same as a finding, e.g. a citation that another rendering of the document does not hold."""
        return Finding(
            code=self.code, severity="warning" if warning else "error", message=self.message, hint=self.hint,
            place=f"{self.place}{f' (test {self.test})' if self.test else ''}" or None,
        )  # fmt: skip


def known(name: str, names: Iterable[str], what: str, place: str = "") -> str:
    """`name` if it is one of a closed list; raises P101 with the nearest one: known("ofset", ("offset",), "binding")."""
    all_names = names if isinstance(names, Collection) else list(names)
    if name in all_names:
        return name
    near = nearest(name, all_names)
    hint = f"did you mean '{near}'?" if near else "known: " + (", ".join(sorted(all_names)) or "none")
    raise ProfileError("P101", f"no {what} '{name}'", hint, place or getattr(name, "where", ""))


def nearest(name: str, names: Iterable[str]) -> str | None:
    """The name that was probably meant; None where the likeness is a whole word that many names share: `lateral_offset` is no slip of
    `lateral_jerk`."""
    for near in difflib.get_close_matches(name, list(names), 5):
        own, theirs = set(name.split("_")), set(near.split("_"))
        only, lacking = own - theirs, theirs - own
        if not only or not lacking or all(difflib.get_close_matches(word, list(lacking), 1) for word in only):
            return near
    return None
