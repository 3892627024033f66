"""Strings that the tabs of the Dictionary page with widgets of their own share."""

STRINGS: dict[str, tuple[str, str]] = {
    "dictionary_panel.unreachable": (
        "The app does not answer. Check that it still runs, then try again.",
        "应用没有响应。请确认它仍在运行，然后重试。",
    ),
    "dictionary_panel.stop": ("Stop", "停止"),
    "dictionary_panel.stopped": ("Stopped before the end; nothing was kept.", "已中途停止，未保留任何结果。"),
    "dictionary_panel.made": (
        "Made {time}, with version {version} of the word list.",
        "结果生成于 {time}，依据词表第 {version} 版。",
    ),
    "dictionary_panel.open": ("Open in Annotate", "在标注页打开"),
    "dictionary_panel.undo": ("Undo", "撤销"),
    "dictionary_panel.undone": ("Undone.", "已撤销。"),
    "dictionary_panel.did.accepted": ("Added “{word}”.", "已加入“{word}”。"),
    "dictionary_panel.did.accepted_many": ("Added {count} {count:word|words}.", "已加入 {count} 个词。"),
    "dictionary_panel.did.rejected": ("Rejected “{word}”.", "已拒绝“{word}”。"),
    "dictionary_panel.did.rejected_many": ("Rejected {count} {count:word|words}.", "已拒绝 {count} 个词。"),
    "dictionary_panel.did.removed": ("Took out “{word}”.", "已移除“{word}”。"),
    "dictionary_panel.did.removed_many": ("Took out {count} {count:word|words}.", "已移除 {count} 个词。"),
}
