"""Processor time of the PDF reader a page, by document, and how it grows with the number of pages.

    python bench/pages.py FILE.pdf ... [--copies 1 2 4]

Each file is read as it is and with its pages several times over; a ratio of 1.0 between the last and the first column is linear.
"""

from __future__ import annotations

import argparse
import io
import time
from pathlib import Path

import pypdfium2

from regc.readers import pdf


def copied(content: bytes, copies: int) -> tuple[bytes, int]:
    """A PDF with its pages several times over, and how many they are."""
    source, made = pypdfium2.PdfDocument(content), pypdfium2.PdfDocument.new()
    for _ in range(copies):
        made.import_pages(source)
    out = io.BytesIO()
    made.save(out)
    return out.getvalue(), copies * len(source)


def seconds(path: Path, content: bytes) -> float:
    """Processor time of one reading."""
    start = time.process_time()
    pdf.read(path, content, regulation=path.stem, edition="x", title=path.stem, wording="official")
    return time.process_time() - start


def main() -> None:
    """Print ms a page for each number of copies."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--copies", type=int, nargs="+", default=[1, 2, 4])
    arguments = parser.parse_args()
    print(f"{'ms a page':<16}{'pages':>7}" + "".join(f"{f'x{copies}':>9}" for copies in arguments.copies) + f"{'ratio':>9}")
    for path in arguments.files:
        content = path.read_bytes()
        seconds(path, content)  # what is loaded once
        found = []
        for copies in arguments.copies:
            made, pages = copied(content, copies)
            found.append(1000 * seconds(path, made) / pages)
        pages //= arguments.copies[-1]
        print(f"{path.stem:<16}{pages:>7}" + "".join(f"{ms:>9.1f}" for ms in found) + f"{found[-1] / found[0]:>9.2f}", flush=True)


if __name__ == "__main__":
    main()
