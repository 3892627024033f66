"""Strings of the "find" tab of the Dictionary page."""

STRINGS: dict[str, tuple[str, str]] = {
    "dictionary_find.purpose": (
        "New words come from raw text and from corrections, as candidates to accept or refuse.",
        "从原始文本和修订中发现候选新词，由您接受或拒绝。",
    ),
}
