"""Writes small PDF files from words and lines at given places: what a test needs to say where something stands on a page."""

from __future__ import annotations

from dataclasses import dataclass, field

WIDTH, HEIGHT = 595, 842


@dataclass
class Sheet:
    """A page under construction. Coordinates are points from the top left; `y` of words is their baseline. `rotate`: what a viewer
    turns it by."""

    commands: list[str] = field(default_factory=list)
    turned: bool = False
    rotate: int = 0

    def words(self, x: float, y: float, text: str, *, size: float = 10, bold: bool = False) -> Sheet:
        """Text on one baseline; what stands between "^" is raised and smaller."""
        font = "F2" if bold else "F1"
        pieces = []
        for index, piece in enumerate(text.split("^")):
            escaped = piece.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
            scale, rise = (0.6, 0.35) if index % 2 else (1, 0)
            pieces.append(f"/{font} {scale * size} Tf {rise * size} Ts ({escaped}) Tj")
        self.commands.append(f"BT {x} {HEIGHT - y} Td {' '.join(pieces)} ET")
        return self

    def line(self, x0: float, y0: float, x1: float, y1: float) -> Sheet:
        """A thin stroked line."""
        self.commands.append(f"0.5 w {x0} {HEIGHT - y0} m {x1} {HEIGHT - y1} l S")
        return self

    def grid(self, xs: list[float], ys: list[float], rows: list[list[str]]) -> Sheet:
        """A ruled table; `rows` are texts cell by cell."""
        for x in xs:
            self.line(x, ys[0], x, ys[-1])
        for y in ys:
            self.line(xs[0], y, xs[-1], y)
        for row, y in zip(rows, ys, strict=False):
            for text, x in zip(row, xs, strict=False):
                if text:
                    self.words(x + 4, y + 11, text, size=9)
        return self

    def scan(self) -> Sheet:
        """An image over the whole page, as a scanner makes it; what is written later is not shown, as behind a scan that went through
        OCR."""
        inline = "BI /W 2 /H 2 /CS /G /BPC 8 ID abcd EI"
        self.commands.append(f"q {WIDTH} 0 0 {HEIGHT} 0 0 cm {inline} Q 3 Tr")
        return self

    def box(self, x: float, y: float, width: float, height: float) -> Sheet:
        """A filled curve, as in a drawing or a scan."""
        self.commands.append(
            f"{x} {HEIGHT - y} m {x + width} {HEIGHT - y} {x + width} {HEIGHT - y - height} {x} {HEIGHT - y - height} c f"
        )
        return self


def pdf(*sheets: Sheet, encrypted: bool = False) -> bytes:
    """The file's bytes. With `encrypted` the password check can never succeed."""
    bodies = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {len(sheets)} /Kids [{' '.join(f'{5 + 2 * index} 0 R' for index in range(len(sheets)))}] >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>",
    ]
    for index, sheet in enumerate(sheets):
        content = "\n".join(sheet.commands)
        if sheet.turned:  # a quarter turn to the left about the lower left corner, moved back into the page
            content = f"q 0 1 -1 0 {HEIGHT} 0 cm\n{content}\nQ"
        bodies.append(
            f"<< /Type /Page /Parent 2 0 R /Rotate {sheet.rotate} /MediaBox [0 0 {WIDTH} {HEIGHT}] /Contents {6 + 2 * index} 0 R "
            "/Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> >>"
        )
        bodies.append(f"<< /Length {len(content.encode('cp1252'))} >>\nstream\n{content}\nendstream")
    trailer = f"/Size {len(bodies) + 1} /Root 1 0 R"
    if encrypted:
        trailer += f" /Encrypt << /Filter /Standard /V 1 /R 2 /O <{'5a' * 32}> /U <{'a5' * 32}> /P -4 >> /ID [<00> <00>]"
    out = b"%PDF-1.4\n"
    offsets = []
    for number, body in enumerate(bodies, 1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode("cp1252")
    start = len(out)
    table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    out += f"xref\n0 {len(bodies) + 1}\n0000000000 65535 f \n{table}trailer\n<< {trailer} >>\nstartxref\n{start}\n%%EOF\n".encode()
    return out
