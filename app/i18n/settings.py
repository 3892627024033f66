"""Strings of the Settings page."""

STRINGS: dict[str, tuple[str, str]] = {
    "settings.purpose": ("Labels, projects, backups and you.", "标签、项目、备份和个人设置。"),
    "settings.labels": ("Labels of this project", "本项目的标签"),
    "settings.labels_how": (
        "One row a label. The key labels a selection on the Annotate page; the guideline is shown beside the "
        "text. A label that spans carry cannot be left out here: rename, merge or delete it below.",
        "每行一个标签。快捷键在标注页使用；标注指南显示在文本旁。仍有片段使用的标签不能在表中去掉："
        "请在下方改名、合并或删除。",
    ),
    "settings.column.name": ("name", "名称"),
    "settings.column.colour": ("colour", "颜色"),
    "settings.column.hotkey": ("key", "快捷键"),
    "settings.column.description": ("guideline", "标注指南"),
    "settings.save_labels": ("Save the labels", "保存标签"),
    "settings.add_label": ("Add a label", "添加标签"),
    "settings.new_label": ("New label", "新标签"),
    "settings.labels_saved": ("{count} {count:label is|labels are} saved.", "已保存 {count} 个标签。"),
    "settings.change_label": (
        "Rename, merge or delete a label, and undo that",
        "改名、合并、删除标签，以及撤销",
    ),
    "settings.old_name": ("Label", "标签"),
    "settings.change_kind": ("Change", "操作"),
    "settings.kind.rename": ("rename", "改名"),
    "settings.kind.merge": ("merge", "合并"),
    "settings.kind.delete": ("delete", "删除"),
    "settings.new_name": ("New name", "新名称"),
    "settings.merge_into": ("Merge into", "并入"),
    "settings.apply.rename": ("Rename it", "改名"),
    "settings.apply.merge": ("Merge it", "合并"),
    "settings.apply.delete": ("Delete it with its spans", "连同片段一起删除"),
    "settings.preview.rename": (
        "{spans} {spans:span|spans} in {documents} {documents:document|documents} would have the new name, "
        "and with them {copies} {copies:span|spans} in people's copies, {predictions} "
        "{predictions:prediction|predictions}, {patterns} {patterns:pattern|patterns} and {comments} "
        "{comments:comment|comments}.",
        "将改名：{documents} 篇文档中的 {spans} 个片段，以及个人标注中的 {copies} 个片段、{predictions} 条"
        "预测、{patterns} 条正则表达式、{comments} 条评论。",
    ),
    "settings.preview.merge": (
        "{spans} {spans:span|spans} in {documents} {documents:document|documents} would get the other "
        "label, and with them {copies} {copies:span|spans} in people's copies, {predictions} "
        "{predictions:prediction|predictions}, {patterns} {patterns:pattern|patterns} and {comments} "
        "{comments:comment|comments}.",
        "将并入另一标签：{documents} 篇文档中的 {spans} 个片段，以及个人标注中的 {copies} 个片段、"
        "{predictions} 条预测、{patterns} 条正则表达式、{comments} 条评论。",
    ),
    "settings.preview.delete": (
        "{spans} {spans:span|spans} in {documents} {documents:document|documents} would be gone, and with "
        "them {copies} {copies:span|spans} in people's copies, those of {predictions} "
        "{predictions:prediction|predictions}, and {patterns} {patterns:pattern|patterns}; {comments} "
        "{comments:comment stays|comments stay} on the text.",
        "将删除：{documents} 篇文档中的 {spans} 个片段、个人标注中的 {copies} 个片段、{predictions} 条预测"
        "中的该标签和 {patterns} 条正则表达式；{comments} 条评论保留在原文上。",
    ),
    "settings.preview.coinciding": (
        "{count} of the spans {count:stands|stand} exactly where one of the other label is; each such two "
        "become one.",
        "其中 {count} 个片段与另一标签的片段位置完全相同，将合为一个。",
    ),
    "settings.preview.undo": ("It can be undone below.", "可在下方撤销。"),
    "settings.did.rename": ("{old} renamed to {new}", "{old} 改名为 {new}"),
    "settings.did.merge": ("{old} merged into {new}", "{old} 并入 {new}"),
    "settings.did.delete": ("{old} deleted", "删除 {old}"),
    "settings.done.rename": (
        "{old} is called {new} now, on {spans} {spans:span|spans} in {documents} "
        "{documents:document|documents}.",
        "{old} 已改为 {new}，涉及 {documents} 篇文档中的 {spans} 个片段。",
    ),
    "settings.done.merge": (
        "{old} is part of {new} now: {spans} {spans:span|spans} in {documents} "
        "{documents:document|documents}.",
        "{old} 已并入 {new}，涉及 {documents} 篇文档中的 {spans} 个片段。",
    ),
    "settings.done.delete": (
        "{old} is deleted, with {spans} {spans:span|spans} in {documents} {documents:document|documents}.",
        "{old} 已删除，涉及 {documents} 篇文档中的 {spans} 个片段。",
    ),
    "settings.nothing_changed": ("That is its name already.", "名称没有变化。"),
    "settings.undo_which": ("Which change", "撤销哪一次"),
    "settings.undo_change": ("Undo this change", "撤销这次更改"),
    "settings.undone": ("Undone: {what}.", "已撤销：{what}。"),
    "settings.column.when": ("when", "时间"),
    "settings.column.who": ("who", "人员"),
    "settings.column.what": ("what", "更改"),
    "settings.column.spans": ("spans", "片段"),
    "settings.column.state": ("state", "状态"),
    "settings.spans_in": (
        "{spans} in {documents} {documents:document|documents}",
        "{documents} 篇文档中 {spans} 个",
    ),
    "settings.state.open": ("can be undone", "可撤销"),
    "settings.state.later": ("undo a later change first", "须先撤销之后的更改"),
    "settings.state.undone": ("undone", "已撤销"),
    "settings.error.no_label": ("Choose a label first.", "请先选择标签。"),
    "settings.error.no_into": ("Choose the label to merge into.", "请选择要并入的标签。"),
    "settings.error.no_name": ("Write the new name first.", "请先填写新名称。"),
    "settings.error.no_change": ("Choose a change to undo.", "请选择要撤销的更改。"),
    "settings.projects": ("Projects", "项目"),
    "settings.project_name": ("Name", "名称"),
    "settings.create": ("New project", "新建项目"),
    "settings.rename_project": ("Rename this project", "改名"),
    "settings.trash_project": ("Move this project to the trash", "移到回收站"),
    "settings.trashed": ("In the trash", "回收站"),
    "settings.restore_project": ("Bring it back", "恢复"),
    "settings.project_created": ("Project {name} is open.", "已打开项目 {name}。"),
    "settings.project_renamed": ("The project is called {name} now.", "项目已改名为 {name}。"),
    "settings.project_trashed": (
        "Project {name} is in the trash; it can be brought back below.",
        "项目 {name} 已移到回收站，可在下方恢复。",
    ),
    "settings.project_restored": ("Project {name} is back.", "项目 {name} 已恢复。"),
    "settings.purge": ("Delete it for good", "永久删除"),
    "settings.purge_name": ("Delete for good", "永久删除"),
    "settings.purge_how": (
        "Type the project's name. Its documents, history and trained models are gone then.",
        "请输入项目名称。其文档、历史和训练好的模型将全部删除，无法恢复。",
    ),
    "settings.purged": ("Project {name} is deleted.", "项目 {name} 已永久删除。"),
    "settings.purge_left": (
        "These folders could not be deleted, nothing needs them any more: {folders}",
        "以下文件夹未能删除，已不再使用：{folders}",
    ),
    "settings.error.purge_name": (
        "Nothing was deleted. To delete the project for good, type its name exactly: {name}",
        "未删除任何内容。要永久删除，请准确输入项目名称：{name}",
    ),
    "settings.backup": ("Backup", "备份"),
    "settings.backup_how": (
        "Projects, labels, documents, history and predictions in one file; trained models stay in the "
        "workspace's runs folder. Restoring keeps the present state in a file beside it.",
        "一个文件包含项目、标签、文档、历史和预测；训练好的模型留在工作区的 runs 文件夹。"
        "恢复时会另存当前状态。",
    ),
    "settings.make_backup": ("Make a backup", "生成备份"),
    "settings.backup_file": ("Your backup", "备份文件"),
    "settings.restore_file": ("Restore from", "恢复自"),
    "settings.restore": ("Restore this backup", "恢复这个备份"),
    "settings.restored": (
        "The backup is in place. What was there before is kept as {name} in the workspace.",
        "已恢复备份。之前的状态保存在工作区的 {name}。",
    ),
    "settings.restore_demo": (
        "The demo cannot restore backups. Run LatticeLens on your own machine for that.",
        "演示环境不能恢复备份，请在自己的机器上运行 LatticeLens。",
    ),
    "settings.you": ("You", "个人"),
    "settings.user": ("Your name", "你的名字"),
    "settings.user_how": ("It is written beside every edit you make.", "你的每次修改都会署这个名字。"),
    "settings.save_user": ("Use this name", "使用这个名字"),
    "settings.user_saved": ("Your edits are signed {name} from now on.", "今后的修改署名为 {name}。"),
    "settings.about": ("About", "关于"),
    "settings.about_text": (
        "LatticeLens {version}. Workspace: {folder}. Device: {device}",
        "LatticeLens {version}。工作区：{folder}。设备：{device}",
    ),
    "settings.error.row": ("Row {row} of the labels: {reason}.", "标签第 {row} 行：{reason}。"),
    "settings.error.colour": (
        "{value} is no colour; write it as # and six digits, such as #0072B2",
        "{value} 不是颜色；请写成 # 加六位数字，如 #0072B2",
    ),
    "settings.error.hotkey": (
        "the key {value} must be one letter or digit other than j and k",
        "快捷键 {value} 必须是一个字母或数字，且不能是 j 和 k",
    ),
    "settings.error.no_user": ("Write a name first.", "请先填写名字。"),
    "settings.error.login": (
        "You are logged in as {name}; that name signs.",
        "你以 {name} 登录，署名即用该名。",
    ),
    "settings.error.no_backup": ("Choose a backup file first.", "请先选择备份文件。"),
    "settings.error.training": (
        "A run is going on. Wait for its end or cancel it, then restore.",
        "有任务正在进行。请等待结束或取消后再恢复。",
    ),
    "settings.error.last": (
        "This is the only project. Create another one first.",
        "这是唯一的项目，请先新建一个。",
    ),
}
