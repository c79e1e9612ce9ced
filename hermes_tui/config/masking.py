"""How keys stand in the TOML file, so that they are hidden from whoever edits it."""

from typing import Final

from hermes_tui.config.secrets import Kind, reference
from hermes_tui.core.masking import NAMES_OF_KEYS, Masks
from hermes_tui.core.secret import SHORTEST

_ASSIGNED: Final = (
    rf"""{NAMES_OF_KEYS}["']?[ \t]*=[ \t]*(?:[\[{{][ \t]*)*"""
    r'''(?:"""(?P<basic_lines>(?s:.+?))(?:"""|\Z)'''
    r"""|'''(?P<literal_lines>(?s:.+?))(?:'''|\Z)"""
    r'|"(?P<basic>(?:[^"\\\r\n]|\\.)+)'
    r"|'(?P<literal>[^'\r\n]+)"
    rf"""|(?P<bare>[^\s"'\[\]{{}},#]{{{SHORTEST},}}))"""
)


def toml_masks() -> Masks:
    """Return what hides the keys of a TOML file."""
    return Masks(_ASSIGNED, is_reference)


def is_reference(value: str) -> bool:
    """Tell whether the value of an `api_key` says where a key is, and is none."""
    try:
        return reference(value).kind is not Kind.LITERAL
    except ValueError:
        return value.startswith("command:") or not value.strip()
