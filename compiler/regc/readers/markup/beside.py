"""The files that lie beside a document and belong to it: a converter writes Markdown and a layout file."""

from __future__ import annotations

from pathlib import Path


def layouts_beside(path: Path) -> list[Path]:
    """The layout files that may belong to a Markdown file: "x_middle.json" for "x.md" and "x.mineru.md", and "middle.json"."""
    names = (f"{path.stem}_middle.json", f"{path.name.split('.')[0]}_middle.json", "middle.json")
    return [path.with_name(name) for name in dict.fromkeys(names) if path.with_name(name).is_file()]


def markdowns_beside(path: Path) -> list[Path]:
    """The Markdown files that may belong to a layout file."""
    stem = path.stem.removesuffix("_middle")
    return [other for name in (f"{stem}.md", f"{stem}.mineru.md", "full.md") if (other := path.with_name(name)).is_file()]


def files_beside(path: Path) -> list[Path]:
    """Every further file that a reader may open for this one; all of them decide what comes out."""
    if path.suffix.lower() in (".md", ".markdown"):
        return layouts_beside(path)
    return markdowns_beside(path) if path.suffix.lower() == ".json" else []
