"""Strings of the "versions" tab of the Dictionary page."""

STRINGS: dict[str, tuple[str, str]] = {
    "dictionary_versions.purpose": (
        "Every change of the word list is a version; compare any two and go back to any.",
        "词表的每次改动都是一个版本；可比较任意两个版本，也可回到任一版本。",
    ),
}
