"""What the store refuses, in Chinese."""

from __future__ import annotations

REASONS: tuple[tuple[str, str], ...] = (
    # the workspace and its file
    (
        "the SQLite of this Python lacks full-text search (FTS5); use a Python from python.org, conda or the "
        "system's packages",
        "此 Python 自带的 SQLite 缺少全文检索（FTS5）；请改用 python.org、conda 或系统软件包提供的 Python",
    ),
    (
        "the disk is full ({a}); nothing of this edit was saved; free space and press save again",
        "磁盘已满（{a}），本次修改没有保存；请释放空间后再保存",
    ),
    (
        "another program has held {a} for {b} s; nothing was saved; close the other program that has this "
        "workspace open and try again",
        "另一个程序占用 {a} 已有 {b} 秒，没有保存任何内容；请关闭打开此工作区的其他程序后重试",
    ),
    (
        "{phrase} {b} is not in this workspace; reload the page to see what is",
        "工作区中没有{phrase} {b}；请刷新页面查看现有内容",
    ),
    (
        "document {a} is at revision {b}, this edit was made on revision {c}; nothing was "
        "overwritten: compare "
        "the two and choose",
        "文档 {a} 现为第 {b} 版，而这次修改基于第 {c} 版；没有覆盖任何内容，请比较两者后选择",
    ),
    (
        "there is no file {a}; choose a backup made by LatticeLens",
        "没有文件 {a}；请选择由 LatticeLens 生成的备份",
    ),
    ("{a} is empty; choose a backup made by LatticeLens", "{a} 是空文件；请选择由 LatticeLens 生成的备份"),
    (
        "{a} holds triggers or views that are not ours; do not trust it",
        "{a} 含有并非由 LatticeLens 建立的触发器或视图，不可信任",
    ),
    (
        "{a} has damaged rows ({b}); the first: {phrase}; choose another backup",
        "{a} 中有 {b} 行数据已损坏，第一处：{phrase}；请选择另一份备份",
    ),
    (
        "{a} has damaged rows ({b}); the first: {phrase}; all else can be used; a backup brings them back "
        "(Settings, or python -m core workspace restore)",
        "{a} 中有 {b} 行数据已损坏，第一处：{phrase}；其余内容可以照常使用，损坏的行可从备份恢复"
        "（在“设置”页，或运行 python -m core workspace restore）",
    ),
    (
        "the workspace holds {a} where this program writes something else; restore a backup (Settings, or "
        "python -m core workspace restore)",
        "工作区中的 {a} 不是本程序写入的内容；请恢复备份（在“设置”页，或运行 python -m core workspace "
        "restore）",
    ),
    ("{a} is damaged ({b}); choose another backup", "{a} 已损坏（{b}）；请选择另一份备份"),
    (
        "{a} is the workspace's own file; choose another name for the backup",
        "{a} 是工作区自己的文件；请为备份另取文件名",
    ),
    (
        "the backup cannot be written to {a} ({b}); choose another place",
        "备份无法写入 {a}（{b}）；请换一个位置",
    ),
    (
        "{a} is an SQLite file of another program; move it away or choose another folder with --workspace",
        "{a} 是其他程序的 SQLite 文件；请移走它，或用 --workspace 指定另一个文件夹",
    ),
    (
        "{a} is damaged or no workspace ({b}); move it away and restore a backup (Settings, or python "
        "-m core "
        "workspace restore)",
        "{a} 已损坏或不是工作区（{b}）；请移走它并恢复备份（在“设置”页，或运行 python -m core "
        "workspace restore）",
    ),
    ("the workspace {a} is closed; reload the page", "工作区 {a} 已关闭；请刷新页面"),
    (
        "this Python brings SQLite {a}, the workspace needs 3.37 or later; use a newer Python",
        "此 Python 自带的 SQLite 是 {a}，工作区需要 3.37 或更高版本；请使用更新的 Python",
    ),
    (
        "{a}: the database refused ({b}); nothing was saved; try again",
        "{a}：数据库拒绝了操作（{b}），没有保存任何内容；请重试",
    ),
    (
        "the workspace folder {a} cannot be written ({b}); choose another with --workspace or mend "
        "its permissions",
        "工作区文件夹 {a} 无法写入（{b}）；请用 --workspace 指定另一个文件夹，或修正其权限",
    ),
    (
        "{a} cannot be written ({b}); mend its permissions or choose another folder with --workspace",
        "{a} 无法写入（{b}）；请修正其权限，或用 --workspace 指定另一个文件夹",
    ),
    (
        "{a} has schema {b}, this program knows {c}: a later version wrote it; update LatticeLens, or choose "
        "another folder with --workspace",
        "{a} 的结构版本是 {b}，本程序只认识到 {c}：它由更新的版本写成；请升级 LatticeLens，"
        "或用 --workspace 指定另一个文件夹",
    ),
    (
        "{a} was made by an earlier development version (schema {b}); export its projects with that version, "
        "or choose another folder with --workspace to start a new workspace",
        "{a} 由较早的开发版本写成（结构版本 {b}）；请用该版本导出其中的项目，"
        "或用 --workspace 指定另一个文件夹，新建工作区",
    ),
    (
        "LATTICELENS_JOURNAL is {a}; set it to 'wal' or 'delete', or unset it",
        "LATTICELENS_JOURNAL 的值是 {a}；请设为 'wal' 或 'delete'，或取消设置",
    ),
    (
        "the demo corpus in {a} cannot be read ({b}); reinstall the program or build it again with python "
        "assets/demo/build.py",
        "{a} 中的示例语料无法读取（{b}）；请重新安装程序，或运行 python assets/demo/build.py 重新生成",
    ),
    # projects, runs and settings
    ("a project {a} is {b} already; choose another name", "名为 {a} 的项目已存在（{b}）；请换一个名称"),
    ("a project name has 1 to {a} characters, got {b}", "项目名称需要 1 到 {a} 个字符，现为 {b} 个"),
    ("an id is a positive whole number, got {a}; reload the page", "编号应为正整数，收到 {a}；请刷新页面"),
    ("project {a} has no earlier serving run to go back to", "项目 {a} 没有可退回的上一个在用运行"),
    ("run {a} of this project is still under way; cancel it first", "本项目的运行 {a} 仍在进行；请先取消"),
    ("another project has a run {a}; choose another name", "另一个项目已有名为 {a} 的运行；请换一个名称"),
    (
        "a run's name has small letters, digits, '-', '_' and '.', got {a}",
        "运行名称只能用小写字母、数字、'-'、'_' 和 '.'，收到 {a}",
    ),
    ("a tagger's name is a lower-case word, got {a}", "标注器名称是一个小写单词，收到 {a}"),
    ("a run's name begins with a lower-case word, got {a}", "运行名称以一个小写单词开头，收到 {a}"),
    ("setting {a} has {b} characters; {c} are allowed", "设置 {a} 有 {b} 个字符，最多 {c} 个"),
    ("setting {a} is no JSON ({b})", "设置 {a} 不是 JSON（{b}）"),
    ("the name of a setting has 1 to {a} characters, got {b}", "设置的名称需要 1 到 {a} 个字符，现为 {b} 个"),
    (
        "dev and test are shares below 1 that leave some to train, got {a} and {b}",
        "开发集和测试集的比例之和须小于 1，留出训练部分；收到 {a} 和 {b}",
    ),
    (
        "{a}, line {b}: no document with id, text and spans ({c})",
        "{a} 第 {b} 行：不是含 id、text 和 spans 的文档（{c}）",
    ),
    # labels
    (
        "label {a} is on {b} spans of this project; rename it, or remove those spans first",
        "标签 {a} 仍用于本项目的 {b} 个片段；请改名，或先删除这些片段",
    ),
    ("there is a label {a} already; choose another name", "已有标签 {a}；请换一个名称"),
    ("another change of labels is under way; try again in a moment", "另一项标签改动正在进行；请稍后重试"),
    (
        "label {a} was changed after that ({b}); undo that change first",
        "标签 {a} 在此之后又有改动（{b}）；请先撤销那次改动",
    ),
    (
        "label {a} is not there any more, so this change cannot be undone",
        "标签 {a} 已不存在，因此无法撤销这次改动",
    ),
    ("the change of label {a} is undone already", "标签 {a} 的改动已经撤销"),
    (
        "there is a new label {a}; rename that one, then undo this change",
        "现在另有新标签 {a}；请先给它改名，再撤销这次改动",
    ),
    ("label {a} cannot be merged into itself; choose another one", "标签 {a} 不能并入自身；请选择另一个"),
    ("label {a} is not a label of this project: {b}", "{a} 不是本项目的标签；现有标签：{b}"),
    # documents and annotation
    (
        "document {a} holds half of a surrogate pair ({b}); mend its text",
        "文档 {a} 含有半个代理对（{b}）；请修正其文本",
    ),
    ("document {a} has meta that is no JSON ({b})", "文档 {a} 的 meta 不是 JSON（{b}）"),
    ("document {a} has revisions 0 to {b}, got {c}", "文档 {a} 有第 0 到 {b} 版，收到 {c}"),
    (
        "your copy of document {a} has revisions 0 to {b}, got {c}",
        "你的文档 {a} 副本有第 0 到 {b} 版，收到 {c}",
    ),
    ("document {a} would have more than {b} spans", "文档 {a} 的片段将超过 {b} 个"),
    (
        "document {a}: {b} is not at {c}-{d}, {e} is; search again",
        "文档 {a}：{c}-{d} 处不是 {b}，而是 {e}；请重新查找",
    ),
    ("label {a} is already {b}; choose another", "标签 {a} 已经是 {b}；请选择另一个"),
    ("way must be undo or redo, got {a}", "way 应为 undo 或 redo，收到 {a}"),
    ("{a} places; at most {b} are labelled at once", "共 {a} 处；一次最多标注 {b} 处"),
    ("1 to {a} stretches are marked at once, got {b}", "一次可标记 1 到 {a} 段，收到 {b} 段"),
    ("a surface to look for has 1 to {a} characters", "要查找的文字需要 1 到 {a} 个字符"),
    ("overlap must be a whole number from 1 to {a}, got {b}", "重叠人数应为 1 到 {a} 的整数，收到 {b}"),
    (
        "a case needs a span that is expected, or one that the run says and should not",
        "一个用例需要一个应有的片段，或一个运行给出而不应有的片段",
    ),
    (
        "the document {a} has this very text already; it was left as it is: open it to change what is "
        "expected of it",
        "文档 {a} 已有完全相同的文本，保持原样；要改变对它的期望，请打开它",
    ),
    ("a project has at most {a} patterns; delete one first", "一个项目最多 {a} 条正则表达式；请先删除一条"),
    (
        "{a} is no stretch of document {b}, which has {c} characters",
        "{a} 不是文档 {b} 中的一段，该文档有 {c} 个字符",
    ),
    # comments
    ("a comment has at most {a} characters, this one has {b}", "评论最多 {a} 个字符，这条有 {b} 个"),
    ("a comment needs some text", "评论不能为空"),
    (
        "a comment on {a} lies outside the text, which has {b} characters",
        "位置 {a} 的评论超出文本，文本有 {b} 个字符",
    ),
    ("the label of a comment is a text of at most {a} characters", "评论的标签是最多 {a} 个字符的文字"),
    ("{a} of a comment must be a whole number, got {b}", "评论的 {a} 应为整数，收到 {b}"),
    ("{a} holds half of a surrogate pair; mend its text", "{a} 含有半个代理对；请修正文本"),
    # review
    ("a category may not begin with {a}, got {b}", "类别不能以 {a} 开头，收到 {b}"),
    ("a category may not begin with {a}", "类别不能以 {a} 开头"),
    ("a span cannot be accepted and refused at once", "同一片段不能既接受又拒绝"),
    ("at most {a} error categories, got {b}", "错误类别最多 {a} 个，现有 {b} 个"),
    # the queue
    ("a search has up to {a} characters, got {b}", "搜索最多 {a} 个字符，现有 {b} 个"),
    (
        "a slice for evaluation is a share above 0 and at most 0.5, got {a}",
        "留作评估的比例须大于 0 且不超过 0.5，收到 {a}",
    ),
    (
        "the score of document {a} is {b}, which is no number to sort by",
        "文档 {a} 的分数是 {b}，无法用于排序",
    ),
    ("what is set apart is for dev or test, got {a}", "留出的文档用于 dev 或 test，收到 {a}"),
    # distant labels and candidates
    (
        "this batch of distant labels was taken back already; reload the page",
        "这一批词典标注已经收回；请刷新页面",
    ),
    (
        "this project has no batch {a} of distant labels; reload the page",
        "本项目没有第 {a} 批词典标注；请刷新页面",
    ),
    ("no candidates given; choose at least one", "没有选择候选词；请至少选一个"),
    ("no rejection is left to undo", "没有可撤销的拒绝"),
    # the word list
    ("nothing changes: the word list is like that already", "没有变化：词表已是如此"),
    ("the source of words is a name", "词的来源应为一个名称"),
    ("this project's word list has no version {a}; reload the page", "本项目的词表没有第 {a} 版；请刷新页面"),
    (
        "every word of this change was changed since; there is nothing left of it to undo",
        "这次改动中的每个词之后又都改过，已没有可撤销的内容",
    ),
    ("no change of the word list is left to undo", "词表没有可撤销的改动"),
    (
        "changing the word list stood still for too long and was given up; start it again",
        "词表改动停顿过久，已放弃；请重新开始",
    ),
    (
        "a label is being renamed in this word list; try again in a moment",
        "这个词表中的标签正在改名；请稍后再试",
    ),
    ("somebody else has undone this change of the word list meanwhile", "其间有人已撤销这次词表改动"),
    (
        "the labels or words of this project changed again and again meanwhile; try again later",
        "其间本项目的标签或词不断变化；请稍后再试",
    ),
    ("no words given; type at least one", "没有给出词；请至少输入一个"),
    ("a frequency is a whole number from 0 to {a}, got {b}", "词频应为 0 到 {a} 的整数，收到 {b}"),
    ("a word has 1 to {a} characters in one line, got {b}", "一个词应为一行内 1 到 {a} 个字符，收到 {b}"),
    ("a word's type is one short line, got {a}", "词的类型应为一行短文字，收到 {a}"),
    ("{a} is no word with its types; read the list again", "{a} 不是带类型的词；请重新读入词表"),
    ("a page begins at 0 or later", "页的起点不能小于 0"),
    ("a word was changed meanwhile; look at the list again", "其间有词被改动；请重新查看词表"),
    ("choose 1 to {a} words", "请选择 1 到 {a} 个词"),
    ("{a} holds half a character; type it again", "{a} 含有半个字符；请重新输入"),
    ("{a} is text of at most {b} characters", "{a} 应为最多 {b} 个字符的文字"),
    # what a browser sends; met by nobody who uses the pages
    ("action must be one lower-case word, got {a}", "action 应为一个小写单词，收到 {a}"),
    (
        "client_edit must be 1 to 64 letters or digits, got {a}",
        "client_edit 应为 1 到 64 个字母或数字，收到 {a}",
    ),
    ("user must be a name of 1 to {a} characters", "user 应为 1 到 {a} 个字符的名字"),
    ("{a} has more than {b} items; split the document", "{a} 超过 {b} 项；请拆分文档"),
    ("{a} must be a list, got {b}", "{a} 应为列表，收到 {b}"),
    ("{a} must be a text of at most {b} characters", "{a} 应为最多 {b} 个字符的文字"),
    ("{a} must be one of {b}, got {c}", "{a} 应为以下之一：{b}；收到 {c}"),
    ("{a} is one of {b}", "{a} 应为以下之一：{b}"),
    ("{a} must have start, end and label, got {b}", "{a} 应含 start、end 和 label，收到 {b}"),
    ("{a}.label must be text, got {b}", "{a}.label 应为文字，收到 {b}"),
    ("{a} must be a whole number, got {b}", "{a} 应为整数，收到 {b}"),
    ("{a}: {b} {c} is listed twice", "{a}：{b} {c} 重复列出"),
    ("{a} ends after the text, which has {b} characters", "{a} 超出文本末尾，文本有 {b} 个字符"),
)

# What may be missing from a workspace.
PHRASES: tuple[tuple[str, str], ...] = (
    ("change of a label", "标签改动"),
    ("comment", "评论"),
    ("document", "文档"),
    ("member", "成员"),
    ("pattern", "正则表达式"),
    ("project", "项目"),
    ("run", "运行"),
    ("table {a}, row {b}, column {c} holds nothing", "表 {a}，行 {b}，列 {c} 为空"),
    ("table {a}, row {b}, column {c} is no text", "表 {a}，行 {b}，列 {c} 不是文本"),
    ("table {a}, row {b}, column {c} is no UTF-8", "表 {a}，行 {b}，列 {c} 不是 UTF-8 文本"),
    ("table {a}, row {b}, column {c} is no whole number", "表 {a}，行 {b}，列 {c} 不是整数"),
    ("table {a}, row {b}, column {c} is no JSON", "表 {a}，行 {b}，列 {c} 不是 JSON"),
    ("table {a}, row {b}, column {c} is JSON of another form", "表 {a}，行 {b}，列 {c} 的 JSON 结构不对"),
    ("table {a}, row {b}, column {c} is no list of spans", "表 {a}，行 {b}，列 {c} 不是片段列表"),
    (
        "table {a}, row {b}, column {c} holds a label that is not there",
        "表 {a}，行 {b}，列 {c} 中的标签不存在",
    ),
    (
        "table {a}, row {b}, column {c} holds a span beyond the text",
        "表 {a}，行 {b}，列 {c} 中的片段超出文本",
    ),
    ("table {a}, row {b}, column {c} holds an unknown word", "表 {a}，行 {b}，列 {c} 的取值未知"),
)
