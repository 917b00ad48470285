"""Figures of the retrieval bench (extra "plots")."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

from regc.errors import MissingExtraError
from regc.research.bench.retrieval import GridSetting

#: What is plotted over the number of regulations: key of a summary, axis label.
SCALING = (
    ("recall", "evidence recall"),
    ("recall_worst", "evidence recall, worst wording"),
    ("f1", "scenario F1"),
    ("tokens", "tokens a query"),
    ("query_seconds", "s a query"),
    ("index_seconds", "s to index"),
    ("index_megabytes", "MB of index"),
)


def bars(summaries: Mapping[str, Mapping[str, float]]) -> bytes:
    """Mean and worst recall of every system as a PNG."""
    figure, axes = _figure(8, 0.4 * len(summaries) + 1.2)
    names = sorted((name for name in summaries if summaries[name]), key=lambda name: (summaries[name]["recall"], name))
    axes.barh(names, [summaries[name]["recall"] for name in names], color="#9db4d0", label="mean")
    axes.plot([summaries[name]["recall_worst"] for name in names], names, "k|", markersize=12, label="worst wording")
    axes.set_xlim(0, 1.02)
    axes.set_xlabel("evidence recall")
    axes.legend(loc="lower right")
    return _png(figure)


def lines(scaling: Mapping[str, Mapping[int, Mapping[str, float]]]) -> bytes:
    """Recall, tokens and time over the number of regulations, a line a system, as a PNG."""
    shown = [
        (key, label) for key, label in SCALING if any(key in found for by_count in scaling.values() for found in by_count.values())
    ]
    figure, grid = _pyplot().subplots(-(-len(shown) // 2), 2, figsize=(10, 3.5 * -(-len(shown) // 2)), squeeze=False)
    for axes in grid.flat[len(shown) :]:
        axes.set_axis_off()
    for axes, (key, label) in zip(grid.flat, shown, strict=False):
        for name, by_count in scaling.items():
            counts = [count for count in sorted(by_count) if key in by_count[count]]
            axes.plot(counts, [by_count[count][key] for count in counts], marker="o", markersize=3, label=name)
        axes.set_xlabel("regulations in the index")
        axes.set_ylabel(label)
    grid.flat[0].legend(fontsize=6)
    figure.tight_layout()
    return _png(figure)


def heat(cells: Sequence[GridSetting]) -> bytes:
    """Recall over top_k and chunk size as a PNG."""
    figure, axes = _figure(8, 4)
    ks = sorted({cell.top_k for cell in cells})
    sizes = sorted({cell.chunk_size for cell in cells})
    values = {(cell.top_k, cell.chunk_size): cell.recall for cell in cells}
    image = axes.imshow([[values.get((k, size), float("nan")) for size in sizes] for k in ks], cmap="viridis", vmin=0, vmax=1)
    axes.set_xticks(range(len(sizes)), [str(size) for size in sizes])
    axes.set_yticks(range(len(ks)), [str(k) for k in ks])
    axes.set_xlabel("chunk size (characters)")
    axes.set_ylabel("top_k")
    for row, k in enumerate(ks):
        for column, size in enumerate(sizes):
            if (k, size) in values:
                axes.text(column, row, f"{values[k, size]:.2f}", ha="center", va="center", color="white", fontsize=8)
    figure.colorbar(image, label="evidence recall")
    return _png(figure)


def _figure(width: float, height: float) -> tuple[Any, Any]:
    figure, axes = _pyplot().subplots(figsize=(width, height))
    figure.set_layout_engine("tight")
    return figure, axes


def _pyplot() -> Any:
    try:
        import matplotlib
    except ImportError as error:
        raise MissingExtraError("plots need matplotlib", extra="plots") from error
    matplotlib.use("Agg")
    from matplotlib import pyplot

    return pyplot


def _png(figure: Any) -> bytes:
    stream = io.BytesIO()
    # no software version and no date in the file: the same figures give the same bytes
    figure.savefig(stream, format="png", dpi=120, metadata={"Software": None})
    _pyplot().close(figure)
    return stream.getvalue()
