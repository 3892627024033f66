"""What is wrong with an encoder, a biLM or vectors, in Chinese."""

from __future__ import annotations

REASONS: tuple[tuple[str, str], ...] = (
    # ELMo
    (
        "there is no folder {a}; give one that holds options.json and weights",
        "没有文件夹 {a}；请给出含 options.json 和权重的文件夹",
    ),
    ("{a} must hold one file {b}, there is: {c}", "{a} 应有一个文件 {b}，现有：{c}"),
    (
        "{a}: {b} has shape {c}, the options ask for {d}; take options and weights of the same model",
        "{a}：{b} 的形状是 {c}，而选项要求 {d}；请取同一模型的选项和权重",
    ),
    ("{a}: {b} has shape {c}, the options ask for {d}", "{a}：{b} 的形状是 {c}，而选项要求 {d}"),
    (
        "{a}: {b} holds values that are no finite numbers; copy the folder again",
        "{a}：{b} 含有非有限数值；请重新复制文件夹",
    ),
    (
        "{a}: {b} holds values that are no finite numbers; download it again",
        "{a}：{b} 含有非有限数值；请重新下载",
    ),
    ("{a}: {b} holds values that are no finite numbers", "{a}：{b} 含有非有限数值"),
    ("a filter must be 1 to {a} characters wide, got {b}", "卷积核宽应为 1 到 {a} 个字符，收到 {b}"),
    (
        "filters must be 1 to 64 pairs of width and number, got {a}",
        "filters 应为 1 到 64 对（宽度、数目），收到 {a}",
    ),
    ("it is malformed: {a}", "格式有误：{a}"),
    ("n_characters must be {a} or {b}", "n_characters 应为 {a} 或 {b}"),
    ("there may be 1 to {a} filters of a width, got {b}", "每种宽度的卷积核应为 1 到 {a} 个，收到 {b}"),
    ("there may be {a} filters in all", "卷积核总数最多 {a} 个"),
    ("there must be an object", "应为一个对象"),
    (
        "this biLM reads words from a table, not characters; choose one with a char_cnn",
        "此 biLM 从表中读词而不读字符；请选择带 char_cnn 的模型",
    ),
    ("{a} must be a number of at least 0, got {b}", "{a} 应为不小于 0 的数，收到 {b}"),
    ("{a} must be a whole number from {b} to {c}, got {d}", "{a} 应为 {b} 到 {c} 的整数，收到 {d}"),
    ("{a} cannot be read: {b}; check the folder", "{a} 无法读取：{b}；请检查文件夹"),
    ("{a} cannot be read: {b}; give the path of a .vec file", "{a} 无法读取：{b}；请给出 .vec 文件的路径"),
    ("{a} cannot be read: {b}", "{a} 无法读取：{b}"),
    ("{a} is not JSON, perhaps cut off; copy it again", "{a} 不是 JSON，可能不完整；请重新复制"),
    ("{a} is not JSON, perhaps cut off", "{a} 不是 JSON，可能不完整"),
    ("{a} cannot be read as HDF5 ({b}); download it again", "{a} 无法按 HDF5 读取（{b}）；请重新下载"),
    ("{a} has no array {b}, so it does not belong to these options", "{a} 没有数组 {b}，与这些选项不符"),
    (
        "{a}: {b} is packed or cut off; write it without compression",
        "{a}：{b} 被压缩或不完整；请不压缩地写出",
    ),
    ("{a}: {b} must hold floating-point numbers in the file itself", "{a}：{b} 应在文件内以浮点数保存"),
    ("{a} holds no biLM that was trained here: there is no {b} in it", "{a} 中没有在此训练的 biLM：缺少 {b}"),
    ("{a} is damaged or cut off ({b}); copy the folder again", "{a} 已损坏或不完整（{b}）；请重新复制文件夹"),
    ("{a} is damaged or cut off ({b})", "{a} 已损坏或不完整（{b}）"),
    ("{a} is damaged ({b}); copy the folder again", "{a} 已损坏（{b}）；请重新复制文件夹"),
    (
        "{a} is damaged ({b}); copy it again, or train the vectors anew",
        "{a} 已损坏（{b}）；请重新复制，或重新训练向量",
    ),
    # transformers
    (
        "encoder: there is no folder {a}; give a folder, or a name as the hub has it",
        "编码器：没有文件夹 {a}；请给出文件夹，或模型库中的名称",
    ),
    (
        "there is no encoder folder {a}; copy the whole model folder again",
        "没有编码器文件夹 {a}；请重新复制整个模型文件夹",
    ),
    ("a window of {a} word pieces is too short; {b} is the least", "{a} 个词片的窗口过短，至少 {b} 个"),
    (
        "a window of {a} pieces has no room for text; 16 is little already",
        "{a} 个词片的窗口放不下文本；16 个已经很少",
    ),
    ("a {a} model looks no word pieces up; choose another encoder", "{a} 模型不查词片表；请选择其他编码器"),
    (
        "a {a} model gives {b} states with a vector for each piece, not {c}; choose an encoder of "
        "another family",
        "{a} 模型给出 {b} 层每个词片的向量，而不是 {c} 层；请选择其他系列的编码器",
    ),
    (
        "encoder {a} cannot read text alone ({b}); choose another",
        "编码器 {a} 不能只读文本（{b}）；请选择其他编码器",
    ),
    ("the layers of a {a} model share their weights", "{a} 模型各层共用权重"),
    (
        "the tokenizer has {a} word pieces and the model {b}: they are not of one model; download them again",
        "分词器有 {a} 个词片而模型有 {b} 个：两者不属于同一个模型；请重新下载",
    ),
    (
        "the tokenizer gives {a} the number {b}, but the encoder knows {c} pieces; they are not of one model",
        "分词器给 {a} 的编号是 {b}，而编码器只有 {c} 个词片：两者不属于同一个模型",
    ),
    ("this encoder has {a} layers, not {b}", "此编码器有 {a} 层，而不是 {b} 层"),
    (
        "encoder {a} has no fast tokenizer (tokenizer.json), so its pieces cannot be laid over "
        "characters; choose "
        "a release that has one",
        "编码器 {a} 没有快速分词器（tokenizer.json），词片无法对应到字符；请选择带有它的版本",
    ),
    (
        "encoder {a} is quantised and cannot be trained; choose its unquantised release",
        "编码器 {a} 经过量化，无法训练；请选择未量化的版本",
    ),
    (
        "encoder {a}: a {b} model is no masked language model; those of {c} and their kin are",
        "编码器 {a}：{b} 模型不是掩码语言模型；{c} 等系列才是",
    ),
    (
        "encoder {a}: a {b} model reads no text; choose a text encoder",
        "编码器 {a}：{b} 模型不读文本；请选择文本编码器",
    ),
    (
        "encoder {a}: its tokenizer has no mask; choose one that was trained with one",
        "编码器 {a}：分词器没有掩码符号；请选择训练时带掩码的编码器",
    ),
    (
        "encoder {a}: its weights lack {b} and {c} more, so they are of another model than its config.json; "
        "download it again",
        "编码器 {a}：权重缺少 {b} 及另外 {c} 项，与其 config.json 不是同一个模型；请重新下载",
    ),
    (
        "encoder {a}: transformers has no model for {b}; choose a text encoder",
        "编码器 {a}：transformers 没有 {b} 的模型；请选择文本编码器",
    ),
    (
        "encoder {a}: {b} is {c} in config.json, more than {d}; copy the model again",
        "编码器 {a}：config.json 中 {b} 为 {c}，超过 {d}；请重新复制模型",
    ),
    (
        "encoder {a}: it needs code of its own, which is never run; choose a model that transformers knows",
        "编码器 {a}：它需要运行自带代码，而这里从不运行；请选择 transformers 认识的模型",
    ),
    (
        "encoder {a}: it has no safetensors weights, and pickled ones are not read; choose another ({b})",
        "编码器 {a}：没有 safetensors 权重，而 pickle 权重不予读取；请选择其他编码器（{b}）",
    ),
    (
        "encoder {a}: the folder cannot be read ({b}); download it again",
        "编码器 {a}：文件夹无法读取（{b}）；请重新下载",
    ),
    (
        "encoder {a}: there is no folder {b}, and the hub cannot be reached; check the connection, or "
        "download "
        "the model and give its folder",
        "编码器 {a}：没有文件夹 {b}，也无法连接模型库；请检查网络，或下载模型后给出其文件夹",
    ),
    (
        "encoder {a}: there is no folder {b}, and the hub refuses ({c}); check the spelling",
        "编码器 {a}：没有文件夹 {b}，模型库也拒绝（{c}）；请检查拼写",
    ),
    # vectors
    (
        "jieba's character table cannot be read ({a}); install jieba again",
        "jieba 的字向量表无法读取（{a}）；请重新安装 jieba",
    ),
    ("{a} holds no vectors", "{a} 中没有向量"),
    (
        "{a} is not UTF-8 text; a binary word2vec file must be converted first",
        "{a} 不是 UTF-8 文本；二进制 word2vec 文件须先转换",
    ),
    (
        "{a}, line {b}: a token and 1 to {c} numbers are needed, got {d}",
        "{a} 第 {b} 行：需要一个词元和 1 到 {c} 个数，收到 {d}",
    ),
    (
        "{a}, line {b}: expected a token and {c} finite numbers, one blank between",
        "{a} 第 {b} 行：应为一个词元和 {c} 个有限数，以一个空格分隔",
    ),
    ("{a} has {b} bytes, not those of {c} x {d} numbers", "{a} 有 {b} 字节，与 {c} x {d} 个数不符"),
    ("vectors have {a} dimensions, the table has {b}", "向量为 {a} 维，而表为 {b} 维"),
    (
        "{a} has {b} dimensions and {c} {d}: they are not of one training; copy both again",
        "{a} 为 {b} 维而 {c} 为 {d} 维：两者不出自同一次训练；请重新复制两者",
    ),
    ("its rows do not rise, or hold other than finite numbers", "各行未按序递增，或含有非有限数"),
    ("its sizes are {a}, {b} and {c}", "其大小为 {a}、{b} 和 {c}"),
    ("its tables do not fit together", "其各表不相匹配"),
    ("its tables are {a}, not {b}", "其表为 {a}，而不是 {b}"),
    (
        "there are no vectors of {a}; choose characters, bigrams or words",
        "没有 {a} 的向量；请选择 characters、bigrams 或 words",
    ),
)
