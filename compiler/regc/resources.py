"""Finds schemas, templates, golden files and data in a checkout or in an installed wheel."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def resource(*parts: str) -> Path:
    """Path of a resource ("templates", "text", "case.txt.j2"): beside the package in a wheel, at the top of a checkout."""
    installed = _PACKAGE.joinpath("_resources", *parts)
    if installed.exists():
        return installed
    return _PACKAGE.parents[1].joinpath(*parts)


def in_source_tree() -> bool:
    """Whether regc runs from a checkout: only there are snapshots of builds kept."""
    return not _PACKAGE.joinpath("_resources").exists()


def package_data(*parts: str) -> Path:
    """Path of a data file that lies inside the package ("regulations", "un152", "profile.toml")."""
    return _PACKAGE.joinpath(*parts)
