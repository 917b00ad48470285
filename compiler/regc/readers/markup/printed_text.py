"""Text as a converter wrote it (LaTeX, HTML, Markdown escapes) to the text that was printed."""

from __future__ import annotations

import html
import re

from regc.readers.assemble.notes import as_power, takes_power

#: Around a superscript until it is known whether it is a footnote mark; private use, in no document.
_SUP_OPEN, _SUP_CLOSE = "\ue000", "\ue001"
#: Where a mark stood, until the text around it is settled.
_PLACE = "\ue002"
_SUP = re.compile(f"\\s?{_SUP_OPEN}([^{_SUP_CLOSE}]*){_SUP_CLOSE}")
_MARK = re.compile(r"^(?:\d{1,2}|\*+|†|‡)(?:[,\s]+(?:\d{1,2}|\*+))*$")
_FORMULA = re.compile(r"\$\$(.+?)\$\$|\$([^$\n]+?)\$", re.DOTALL)
_TOKEN = re.compile(r"\\[a-zA-Z]+|\\.|[{}_^~&]|.", re.DOTALL)
_UNIT = r"(?:km|mm|cm|m|kg|g|s|ms|lux|Lux|mph|ft|N|K|kN|Hz|V|per)"
_COMMANDS = {
    "\\circ": "°",
    "\\times": "×",
    "\\pm": "±",
    "\\cdot": "·",
    "\\ast": "*",
    "\\leq": "≤",
    "\\le": "≤",
    "\\geq": "≥",
    "\\ge": "≥",
    "\\alpha": "α",
    "\\beta": "β",
    "\\Nu": "N",
    "\\Mu": "M",
    "\\quad": " ",
    "\\qquad": " ",
    "\\%": "%",
    "\\&": "&",
    "\\$": "$",
    "\\#": "#",
    "\\_": "_",
    "\\{": "{",
    "\\}": "}",
    "\\ ": " ",
    "\\,": " ",
    "\\;": " ",
    "\\:": " ",
    "\\\\": " ",
    "~": " ",
    "&": " ",
}
#: The stroke of "km/h" that a formula lost; there is no unit "kmh".
_LOST_STROKE = re.compile(r"(?<![A-Za-z])km\s*h(?![A-Za-z])")
#: Braces in braces; a formula of a regulation has a handful.
_DEEPEST = 40
_TAG = re.compile(r"</?(?:strong|b|i|em|u|span|font|p|div|small)\b[^>]*>", re.IGNORECASE)


def printed(text: str) -> tuple[str, tuple[str, ...]]:
    """The printed text of a piece of Markdown or HTML, and the footnote marks that were superscripts or "[^3]" in it."""
    return printed_with_places(text)[:2]


def printed_with_places(text: str) -> tuple[str, tuple[str, ...], tuple[int, ...]]:
    """The same, and where in the text each mark stood."""
    plain = _FORMULA.sub(lambda found: formula(found[1] or found[2]), text) if "$" in text else text
    plain = re.sub(r"\[\^([^\]\s]+)\]", lambda found: f"{_SUP_OPEN}{found[1].rsplit('-', 1)[-1]}{_SUP_CLOSE}", plain)
    plain = re.sub(r"<sup>\s*(.*?)\s*</sup>", f"{_SUP_OPEN}\\1{_SUP_CLOSE}", plain, flags=re.IGNORECASE | re.DOTALL)
    plain = re.sub(r"<sub>\s*(.*?)\s*</sub>", r"\1", plain, flags=re.IGNORECASE | re.DOTALL)
    plain = re.sub(r"<br\s*/?>", " ", plain, flags=re.IGNORECASE)
    plain = _TAG.sub("", plain)
    plain = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", plain)
    plain = re.sub(r"(?<!\\)\*\*|(?<!\\)__(?=\w)", "", plain)
    plain = re.sub(r"\\([\\`*_{}\[\]()#+.!|>~-])", r"\1", plain)
    plain = html.unescape(plain)
    marks: list[str] = []
    plain = _SUP.sub(lambda found: _superscript(found, marks), plain)
    if plain != text:
        plain = re.sub(r"\s+([;,)\]])", r"\1", plain)
        plain = re.sub(r"(\()\s+", r"\1", plain)
        plain = re.sub(r"\s+\.(?=\s|$)", ".", plain) if "$" in text else plain
        plain = re.sub(r"[,·]\s*\)", ")", plain) if "$" in text else plain
        plain = re.sub(r"\(i\s?\.\s*\.?\s*e\.\s*", "(i.e. ", plain) if "$" in text else plain
        plain = re.sub(r"\){2,}(?=[\s.,;]|$)", lambda found: found[0] if _balanced(plain) else ")", plain) if "$" in text else plain
    pieces = " ".join(plain.split()).split(_PLACE)
    whole = " ".join("".join(pieces).split())
    ends = (min(sum(len(piece) for piece in pieces[: index + 1]), len(whole)) for index in range(len(pieces) - 1))
    return whole, tuple(marks), tuple(ends)


def lost_strokes(text: str) -> int:
    """How many "km/h" of its formulas lost their stroke (`printed` puts them right)."""
    if "$" not in text:
        return 0
    return sum(len(_LOST_STROKE.findall(_group(_tokens(match[1] or match[2]), 0)[0])) for match in _FORMULA.finditer(text))


def _tokens(source: str) -> list[str]:
    plain = re.sub(r"\\(?:begin|end)\s*\{[^}]*\}(?:\s*\{[^}]*\})?", " ", source)
    return _flattened([token for token in _TOKEN.findall(plain) if not token.isspace()])


def _flattened(tokens: list[str]) -> list[str]:
    """Without braces deeper than any formula has them, and without a mark of raising or lowering that stands on another one."""
    made: list[str] = []
    depth = 0
    for token in tokens:
        if token == "}":
            depth = max(depth - 1, 0)
        if not (token in "{}" and depth >= _DEEPEST) and not (token in ("^", "_") and made and made[-1] in ("^", "_")):
            made.append(token)
        if token == "{":
            depth += 1
    return made


def _balanced(text: str) -> bool:
    return text.count("(") >= text.count(")")


def _superscript(match: re.Match[str], marks: list[str]) -> str:
    """A power behind a unit ("m/s²"), a footnote mark, or text ("1st")."""
    content = match[1].strip()
    before = match.string[: match.start()][-1:]
    if as_power(content) != content and (not content.isdigit() or (content in "23" and takes_power(match.string[: match.start()]))):
        return as_power(content)
    if _MARK.match(content):
        own = re.split(r"[,\s]+", content)
        marks.extend(own)
        return _PLACE * len(own)
    return content if before.isdigit() or not content else f" {content}"


def formula(source: str) -> str:
    """A LaTeX formula as it was printed: "1 0 \\mathrm { k m / h }" gives "10 km/h". Superscripts stay marked for `printed`."""
    text, _ = _group(_tokens(source), 0)
    text = _LOST_STROKE.sub("km/h", text)
    text = re.sub(rf"(?<=\d)(?={_UNIT}\b)", " ", text)
    text = re.sub(r"(?<=[a-z])(?=[+±]\s?\d)", " ", text)
    text = re.sub(r"\s*/\s*", "/", text)
    return re.sub(r"\s+", " ", text).strip()


def _group(tokens: list[str], index: int) -> tuple[str, int]:
    """Tokens up to the closing brace, or to the end."""
    out = ""
    while index < len(tokens) and tokens[index] != "}":
        piece, index = _atom(tokens, index, out)
        out += piece
    return out, index + 1


def _atom(tokens: list[str], index: int, before: str) -> tuple[str, int]:
    token = tokens[index]
    if token == "{":
        return _group(tokens, index + 1)
    if token in ("^", "_"):
        if index + 1 >= len(tokens):
            return "", index + 1
        content, after = _atom(tokens, index + 1, "")
        if token == "_" or content.strip().startswith(("°", "*")) or not content.strip():
            return content.strip(), after
        return f"{_SUP_OPEN}{content.strip()}{_SUP_CLOSE}", after
    if token in _COMMANDS:
        return _COMMANDS[token], index + 1
    if token.startswith("\\"):
        return "", index + 1
    return token, index + 1


def decode(content: bytes) -> tuple[str, str | None]:
    """Text of a file and, when it is not UTF-8, the encoding that was assumed: by its BOM, else Windows-1252."""
    for bom, name in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if content.startswith(bom):
            try:
                return content.decode(name), None if name == "utf-8-sig" else name
            except UnicodeDecodeError:
                break
    try:
        return content.decode("utf-8"), None
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace"), "Windows-1252"
