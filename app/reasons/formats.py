"""Why a record or a file was refused, in Chinese."""

from __future__ import annotations

REASONS: tuple[tuple[str, str], ...] = (
    # archives and folders
    ("{a} names {b}, a place outside of it; it was not unpacked", "{a} 中的 {b} 指向压缩包之外，没有解压"),
    ("{a} holds more than {b} files; take a part of them", "{a} 中的文件超过 {b} 个，请只取一部分"),
    ("{a} cannot be unpacked: {b}", "{a} 无法解压：{b}"),
    ("{a} holds archives in archives, more than {b} deep", "{a} 中压缩包嵌套超过 {b} 层"),
    ("{a} holds {b}, which unpacks without end", "{a} 中的 {b} 解压后没有尽头"),
    ("{a} unpacks to more than {b} GiB; take a part of it", "{a} 解压后超过 {b} GiB，请只取一部分"),
    ("{a} unpacks to more than {b} GiB; split it", "{a} 解压后超过 {b} GiB，请拆分"),
    ("{a} ends before its packed content does; copy it again", "{a} 不完整，压缩内容被截断，请重新复制"),
    ("{a} holds no .arrow or .parquet file", "{a} 中没有 .arrow 或 .parquet 文件"),
    ("{a} holds no file: there is nothing to import", "{a} 中没有文件，无可导入"),
    ("{a} holds no document: there is nothing to import", "{a} 中没有文档，无可导入"),
    (
        "{a} holds files of no format that needs several of them ({b}); read them one by one",
        "{a} 中的文件（{b}）不属于需要多个文件的格式，请逐个导入",
    ),
    (
        "{a} is a folder or an archive; {b} is read from single files",
        "{a} 是文件夹或压缩包；{b} 只能读单个文件",
    ),
    # whole files
    (
        "there is no column with a text ({a}) or with tokens; the columns are {b}",
        "没有文本列（{a}）或词元列；现有的列是 {b}",
    ),
    ("{a} cannot be read as Arrow: {b}", "{a} 无法按 Arrow 读取：{b}"),
    ("{a} cannot be read as parquet: {b}", "{a} 无法按 parquet 读取：{b}"),
    ("{a} is no DocBin of spaCy 3: {b}", "{a} 不是 spaCy 3 的 DocBin：{b}"),
    (
        "{a}: no record has a field with a text; name it with the text column",
        "{a}：没有一条记录带文本字段，请指定文本列",
    ),
    (
        "{a} holds match patterns, not texts: they belong to a word list",
        "{a} 是匹配模式而不是文本，应作为词表导入",
    ),
    ("{a} is {b}, which has no offsets to examine", "{a} 是 {b}，没有可检查的偏移量"),
    ("{a} has no spans, so there are no offsets to examine", "{a} 没有片段，因此没有可检查的偏移量"),
    (
        "{a} needs {b}, which is not installed: run pip install {c} (or pip install 'latticelens[formats]') "
        "and try again ({d})",
        "{a} 需要 {b}，目前未安装：请运行 pip install {c}（或 pip install 'latticelens[formats]'）"
        "后重试（{d}）",
    ),
    ("cannot read {a}: there is no such file or folder", "无法读取 {a}：没有这个文件或文件夹"),
    (
        "{a} looks like JSON but its first lines hold no record that LatticeLens knows: it reads JSONL, one "
        "object with a text on each line",
        "{a} 看似 JSON，但开头几行没有可识别的记录：这里读的是 JSONL，每行一个带文本的对象",
    ),
    ("there is no format {a}; there are {b}", "没有格式 {a}；现有格式：{b}"),
    ("{a} is a binary file (it holds zero bytes), not text", "{a} 是二进制文件（含零字节），不是文本"),
    (
        "{a} is {phrase_kind}, not text: {phrase_advice} and try again",
        "{a} 是{phrase_kind}，不是文本：请{phrase_advice}，再重试",
    ),
    ("{a} is no text file", "{a} 不是文本文件"),
    ("{a} is empty: there is nothing to import", "{a} 是空文件，无可导入"),
    (
        "{a} is neither UTF-8 nor GB18030 ({b}): save it as UTF-8 and try again",
        "{a} 既不是 UTF-8 也不是 GB18030（{b}）：请另存为 UTF-8 后重试",
    ),
    ("{a} is not the name of an encoding; try utf-8 or gb18030", "{a} 不是编码名称，请用 utf-8 或 gb18030"),
    ("{a} holds no row that can be read as {b}", "{a} 中没有一行能按 {b} 读取"),
    ("{a} has no column {b}; there are {c}", "{a} 没有列 {b}；现有的列：{c}"),
    ("the ending of {a} says no format; name one", "从 {a} 的扩展名看不出格式，请指定"),
    ("cannot write {a}: {b}", "无法写入 {a}：{b}"),
    ("cannot read {a}: {b}", "无法读取 {a}：{b}"),
    ("{a} is not {b}: {c}", "{a} 不是 {b} 编码：{c}"),
    # records
    ("not JSON: {a} at column {b}", "不是 JSON：第 {b} 列，{a}"),
    ("not JSON: {a}", "不是 JSON：{a}"),
    ("not readable JSON: {a}", "JSON 无法读取：{a}"),
    ("a record must be an object, like {a}, but this is {b}", "每条记录应是对象，例如 {a}，这里却是 {b}"),
    ("a record must be an object, but this is {a}", "每条记录应是对象，这里却是 {a}"),
    ("there is no field {a}; the fields are {b}", "没有字段 {a}；现有字段：{b}"),
    ("there is no field {a}", "没有字段 {a}"),
    ("field {a} should be a text, but it is {b}", "字段 {a} 应是文本，这里却是 {b}"),
    ("the text should be a text, but it is {a}", "文本字段应是文本，这里却是 {a}"),
    ("a label should be a text that is not empty, but it is {a}", "标签应是非空文本，这里却是 {a}"),
    ("a label should be [start, end, label], but it is {a}", "标签应写作 [起, 止, 标签]，这里却是 {a}"),
    ("an entity should be [start, end, label], but it is {a}", "实体应写作 [起, 止, 标签]，这里却是 {a}"),
    (
        "a span's score should be a number from 0 to 1, but it is {a}",
        "片段的置信度应是 0 到 1 之间的数，这里却是 {a}",
    ),
    (
        "a span should be an object with start, end and label, but it is {a}",
        "片段应是带 start、end、label 的对象，这里却是 {a}",
    ),
    ("a span should have start, end and label, but it is {a}", "片段应有 start、end、label，这里却是 {a}"),
    ("a span should have a first and a last token, but it is {a}", "片段应有首词元和末词元，这里却是 {a}"),
    ("the tokens should be a list of texts, but they are {a}", "词元应是文本列表，这里却是 {a}"),
    (
        "there should be a tag for every one of {a} tokens, but they are {b}",
        "{a} 个词元应各有一个标签，这里却是 {b}",
    ),
    ("there is no tag number {a}; there are {b}", "没有编号为 {a} 的标签；共 {b} 个"),
    ("starts {a} and ends {b} should be lists of the same length", "起点 {a} 与终点 {b} 应是等长的列表"),
    (
        "tokens {a}-{b} do not lie in the context, which has {c}",
        "词元 {a}-{b} 不在上下文内，上下文共 {c} 个词元",
    ),
    ("the context is empty", "上下文为空"),
    ("line {a}: {b} is no text-bound annotation", "第 {a} 行：{b} 不是文本标注"),
    ("{a}: there is no {b} beside it", "{a}：旁边没有 {b}"),
    ("the file has more than {a} MiB", "文件超过 {a} MiB"),
    ("the CAS holds no text", "CAS 中没有文本"),
    ("not a CAS: {a}: {b}", "不是 CAS：{a}：{b}"),
    ("{a} is no type system: {b}", "{a} 不是类型系统：{b}"),
    ("'label' should be an object of labels, but it is {a}", "'label' 应是以标签为键的对象，这里却是 {a}"),
    (
        "label {a} should hold surfaces and their pairs, but it is {b}",
        "标签 {a} 下应是片段及其起止，这里却是 {b}",
    ),
    ("{a} should have a list of pairs, but it has {b}", "{a} 应有起止对的列表，这里却是 {b}"),
    ("{a} should have pairs [first, last], but it has {b}", "{a} 应有 [首, 末] 对，这里却是 {b}"),
    ("expected first, last and label between bars, got {a}", "竖线之间应是首、末和标签，这里却是 {a}"),
    ("expected a text and its entities, got {a}", "应是文本及其实体，这里却是 {a}"),
    (
        "'label' should be a list of [start, end, label], but it is {a}",
        "'label' 应是 [起, 止, 标签] 的列表，这里却是 {a}",
    ),
    (
        "'entity_index' should be an object with begin and end, but it is {a}",
        "'entity_index' 应是带 begin 和 end 的对象，这里却是 {a}",
    ),
    ("{a} should be a list of objects, but it is {b}", "{a} 应是对象的列表，这里却是 {b}"),
    ("{a} should be a list of regions, but it is {b}", "{a} 应是区域的列表，这里却是 {b}"),
    ("{a} should be a list, but it is {b}", "{a} 应是列表，这里却是 {b}"),
    ("{a} should be a whole number, but it is {b}", "{a} 应是整数，这里却是 {b}"),
    ("a task should have 'data' with its text", "任务应有带文本的 'data'"),
    ("{a} characters and {b} tags: they must be as many", "{a} 个字、{b} 个标签，数目应相同"),
    (
        "line {a}: {b} has one column; a row needs a token and a tag",
        "第 {a} 行：{b} 只有一列，每行应有词元和标签",
    ),
    (
        "line {a}: {b} is no tag; a tag is O or B- I- M- E- S- L- U- and a label",
        "第 {a} 行：{b} 不是标签；标签应为 O，或 B- I- M- E- S- L- U- 加类别",
    ),
    (
        "{b} is no tag; a tag is O or B- I- M- E- S- L- U- and a label?",
        "{b} 不是标签；标签应为 O，或 B- I- M- E- S- L- U- 加类别",
    ),
    (
        "line {a}: the file declares a document type or entities; such XML is not read, for it can name "
        "other files or grow without end",
        "第 {a} 行：文件声明了文档类型或实体；这样的 XML 可能引用其他文件或无限膨胀，不予读取",
    ),
    ("line {a}: elements lie more than {b} deep", "第 {a} 行：元素嵌套超过 {b} 层"),
    ("line {a}: not XML: {b}", "第 {a} 行：不是 XML：{b}"),
    (
        "a document of spaCy 2's training JSON has a list of paragraphs",
        "spaCy 2 训练 JSON 的文档应有段落列表 paragraphs",
    ),
    ("a paragraph has neither a raw text nor tokens", "段落既没有 raw 文本也没有词元"),
    ("a paragraph has a list of sentences, got {a}", "段落应有句子列表，收到 {a}"),
    ("a sentence has a list of tokens, got {a}", "句子应有词元列表，收到 {a}"),
    ("a token has an orth, got {a}", "词元应有 orth，收到 {a}"),
    ("{a} of {b} is no BILUO tag", "{b} 的 {a} 不是 BILUO 标签"),
    (
        "token {a} does not stand at character {b} of the raw text",
        "词元 {a} 不在 raw 文本的第 {b} 个字符处",
    ),
    ("line {a}: {b} is no row of a token", "第 {a} 行：{b} 不是词元行"),
    ("the text cannot be read at character {a}: {b}", "文本第 {a} 个字符无法读取：{b}"),
    ("the row has {a} cells; the text should be in cell {b}", "这一行有 {a} 格；文本应在第 {b} 格"),
    ("the quotes do not match ({a})", "引号不配对（{a}）"),
    ("the first line should begin with {a}", "第一行应以 {a} 开头"),
    (
        "a sentence begins at {a}, but the text before it ends at {b}",
        "句子从 {a} 开始，但前面的文本到 {b} 为止",
    ),
    ("{a}: {b} is no value of {c}", "{a}：{b} 不是 {c} 的值"),
    ("{a}: {b} names no unit", "{a}：{b} 没有指向任何单元"),
    ("its documents have {a} tokens, but {b} are there", "文档应有 {a} 个词元，实际有 {b} 个"),
    # offsets
    (
        "document {a}: span {b} {c}-{d} should read {e} but the text there is {f}",
        "文档 {a}：片段 {b} {c}-{d} 应为 {e}，但该处文本是 {f}",
    ),
    (
        "document {a}: span {b} {c}-{d} ends after the text, which has {e} characters",
        "文档 {a}：片段 {b} {c}-{d} 超出文本末尾，文本共 {e} 字",
    ),
    (
        "span {a} {b}-{c} (end inclusive) should read {d} but the text there is {e}",
        "片段 {a} {b}-{c}（含末位）应为 {d}，但该处文本是 {e}",
    ),
    ("span {a} {b}-{c} (end inclusive) ends before it begins", "片段 {a} {b}-{c}（含末位）的终点在起点之前"),
    (
        "span {a} {b}-{c} should read {d} but the text there is {e}",
        "片段 {a} {b}-{c} 应为 {d}，但该处文本是 {e}",
    ),
    (
        "span {a} {b}-{c} does not lie in the text, which has {d} characters ({e})",
        "片段 {a} {b}-{c} 不在文本内，文本共 {d} 字（{e}）",
    ),
    (
        "span {a} {b}-{c} does not lie in the text, which has {d} characters",
        "片段 {a} {b}-{c} 不在文本内，文本共 {d} 字",
    ),
    ("span {a} {b}-{c} does not stand on tokens", "片段 {a} {b}-{c} 没有落在词元边界上"),
    ("a part of the discontinuous span {a} {reason}", "不连续片段 {a} 的一部分：{reason}"),
    (
        "a link of a chain {a}-{b} does not lie in the text, which has {c} characters",
        "共指链的一环 {a}-{b} 不在文本内，文本共 {c} 字",
    ),
    ("a link of a chain {reason}", "共指链的一环：{reason}"),
    (
        "{a}-{b} does not lie in the text, which has {c} characters ({d})",
        "{a}-{b} 不在文本内，文本共 {c} 字（{d}）",
    ),
    ("{a}-{b} begins or ends inside {c} ({d})", "{a}-{b} 的起止落在 {c} 之内（{d}）"),
    (
        "a span needs 0 <= start < end, got start={a}, end={b}",
        "片段应满足 0 <= 起 < 止，这里起为 {a}，止为 {b}",
    ),
    ("the span at {a}-{b} has an empty label", "{a}-{b} 处的片段没有标签"),
    # around another reason
    ("document {a} and those after it cannot be read: {b}", "第 {a} 篇及之后的文档无法读取：{b}"),
    ("row {a}: {reason}", "第 {a} 行：{reason}"),
    ("span {a} {reason}", "片段 {a}：{reason}"),
)

# What `core.text.foreign_files` calls a file, and what it advises.
PHRASES: tuple[tuple[str, str], ...] = (
    ("a Word document", " Word 文档"),
    ("an Excel workbook", " Excel 工作簿"),
    ("a presentation", "演示文稿"),
    ("an old Office document", "旧版 Office 文档"),
    ("an OpenDocument text", " OpenDocument 文本文档"),
    ("an OpenDocument sheet", " OpenDocument 表格"),
    ("an e-book (EPUB)", "电子书（EPUB）"),
    ("a PDF", " PDF"),
    ("an RTF document", " RTF 文档"),
    ("a zip archive", " ZIP 压缩包"),
    ("a gzip archive", " gzip 压缩包"),
    ("a bzip2 archive", " bzip2 压缩包"),
    ("an xz archive", " xz 压缩包"),
    ("a 7-Zip archive", " 7-Zip 压缩包"),
    ("a RAR archive", " RAR 压缩包"),
    ("an image", "图片"),
    ("an SQLite database", " SQLite 数据库"),
    ("save it as plain text (.txt)", "另存为纯文本（.txt）"),
    ("save the sheet as CSV (UTF-8)", "把工作表另存为 CSV（UTF-8）"),
    ("save it as plain text (.txt), a sheet as CSV (UTF-8)", "另存为纯文本（.txt），表格则存为 CSV（UTF-8）"),
    ("copy its text out, or convert it to plain text (.txt)", "复制出其中的文字，或转换为纯文本（.txt）"),
    ("convert it to plain text (.txt)", "转换为纯文本（.txt）"),
    ("unpack it", "先解压"),
    ("have its text recognised (OCR) first", "先识别其中的文字（OCR）"),
    ("export the table as CSV (UTF-8)", "把表导出为 CSV（UTF-8）"),
)
