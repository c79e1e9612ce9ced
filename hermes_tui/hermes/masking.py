"""How keys stand in `config.yaml`, so that they are hidden from whoever edits it."""

import re
from typing import Final

from hermes_tui.core.masking import NAMES_OF_KEYS, Masks
from hermes_tui.core.secret import SHORTEST

_NAME: Final = rf"""(?:{NAMES_OF_KEYS}|(?<![\w-])api)["']?[ \t]*:"""
_SPACE: Final = r"(?:[ \t]+|[ \t]*\r?\n[ \t]+(?![\w\"'-]+[ \t]*:(?:\s|$)|-[ \t]|#))"
"""What stands before a value: that may be the next line, where this is not the next setting."""

_ASSIGNED: Final = (
    rf"""{_NAME}{_SPACE}(?:\[[ \t]*)?"""
    r"(?:[|>][^\r\n]*(?P<block>(?:\r?\n[ \t]+(?![\w\"'-]+[ \t]*:(?:\s|$))[^\r\n]+)+)"
    r'|"(?P<double_lines>(?:[^"\\]|\\(?s:.))+)"'
    r"|'(?P<single_lines>(?:[^']|'')+)'"
    r"""|"(?P<double>[^"\r\n]+)"""
    r"|'(?P<single>[^'\r\n]+)"
    rf"""|(?P<bare>[^\s"'\[\]{{}},#&*!|>][^\r\n,\[\]{{}}]{{{SHORTEST - 1},}}?(?=[ \t]*(?:[\r\n,\]}}]|[ \t]#|\Z))))"""
)
_REFERENCE: Final = re.compile(r"\s*\$\{[^}\s]+\}\s*")
_ADDRESS: Final = re.compile(r"\s*https?://[^@\s]*\s*")


def yaml_masks() -> Masks:
    """Return what hides the keys of a YAML file."""
    return Masks(_ASSIGNED, is_reference)


def is_reference(value: str) -> bool:
    """Tell whether the value of an `api_key` is a variable (`${NAME}`) or nothing, or that of an `api` an address."""
    return not value.strip() or _REFERENCE.fullmatch(value) is not None or _ADDRESS.fullmatch(value) is not None
