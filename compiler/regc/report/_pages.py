"""Pictures of the pages of a PDF source to which a number refers: each page once, grey, small enough for one file."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from typing import Any

from regc.errors import MissingExtraError

#: Dots an inch: small print stays readable, a page of text takes about 40 kB.
_DPI = 110
#: Grey levels of a page; text needs few.
_LEVELS = 8
#: Grey (0 to 255) -> level; a palette of levels packs into four bits a pixel.
_STEP_OF = [grey * (_LEVELS - 1) // 255 for grey in range(256)]


def pictures(pdf: bytes, wanted: Sequence[int]) -> dict[str, dict[str, Any]]:
    """Page number -> width and height in PDF points and a data URI. Pages that the file does not have are left out."""
    if not wanted:
        return {}
    try:
        import pypdfium2
        from PIL import Image
    except ImportError as error:
        raise MissingExtraError("page pictures need Pillow", extra="report") from error
    found: dict[str, dict[str, Any]] = {}
    document = pypdfium2.PdfDocument(pdf)
    try:
        for number in wanted:
            if not 1 <= number <= len(document):
                continue
            page = document[number - 1]
            width, height = page.get_size()
            grey = page.render(scale=_DPI / 72, grayscale=True).to_pil().convert("L").point(_STEP_OF)
            picture = Image.frombytes("P", grey.size, grey.tobytes())
            picture.putpalette([step * 255 // (_LEVELS - 1) for step in range(_LEVELS) for _ in range(3)])
            stream = io.BytesIO()
            picture.save(stream, "PNG", bits=4)
            data = base64.b64encode(stream.getvalue()).decode()
            found[str(number)] = {"w": round(width, 1), "h": round(height, 1), "i": f"data:image/png;base64,{data}"}
    finally:
        document.close()
    return found
