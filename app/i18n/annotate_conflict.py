"""Strings of the choice between two versions of a document."""

from __future__ import annotations

STRINGS: dict[str, tuple[str, str]] = {
    "annotate_conflict.text": (
        "Somebody else saved this document while you edited it. Nothing was overwritten; choose a version.",
        "你编辑期间，有人保存了这篇文档。没有内容被覆盖，请选择一个版本。",
    ),
    "annotate_conflict.elsewhere": (
        "Another document was changed by somebody else while you were editing it.",
        "你编辑的另一篇文档已被他人修改。",
    ),
    "annotate_conflict.mine": ("Your version", "你的版本"),
    "annotate_conflict.theirs": ("Saved by {user} at {time}", "{user} 于 {time} 保存"),
    "annotate_conflict.somebody": ("somebody", "他人"),
    "annotate_conflict.keep_mine": ("keep mine", "保留我的"),
    "annotate_conflict.take_theirs": ("take theirs", "采用对方的"),
    "annotate_conflict.title": ("Two versions of this document", "本文档有两个版本"),
    "annotate_conflict.waits": (
        "Two versions of this document wait for your decision. Until then nothing of it is saved.",
        "本文档有两个版本，等你决定。在此之前不会保存本文档的修改。",
    ),
    "annotate_conflict.decide_later": ("decide later", "稍后决定"),
    "annotate_conflict.keep_both": ("keep both", "两者都保留"),
    "annotate_conflict.keep_ticked": ("keep what is ticked", "保留勾选的"),
    "annotate_conflict.differences": ("What differs", "差异"),
    "annotate_conflict.only_mine": ("only in your version", "仅在你的版本中"),
    "annotate_conflict.only_theirs": ("only in the other version", "仅在对方的版本中"),
    "annotate_conflict.same_spans": (
        "The spans are the same; status or rejected suggestions differ.",
        "片段相同；状态或被拒绝的建议不同。",
    ),
}
