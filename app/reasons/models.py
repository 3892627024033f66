"""What is wrong with a tagger's options, a saved model or a training, in Chinese."""

from __future__ import annotations

REASONS: tuple[tuple[str, str], ...] = (
    (
        "auxiliary: without a top the encoder's loss is all there is, so there is nothing to share; "
        "choose a top ({a}), or leave auxiliary out",
        "auxiliary：没有顶层时只有编码器的损失，无从分配；请选择顶层（{a}），或不设 auxiliary",
    ),
    (
        "encoder {a}: the folder has no safetensors weights, and pickled ones are not read; choose another",
        "编码器 {a}：文件夹中没有 safetensors 权重，pickle 格式不予读取；请另选一个",
    ),
    (
        "residual_attention: scores add up from one layer to the next, and the top has only one; "
        "set top_layers to 2 or more, or leave residual_attention out",
        "residual_attention：分数逐层累加，而顶层只有一层；请把 top_layers 设为 2 以上，"
        "或不设 residual_attention",
    ),
    (
        "residual_attention: {a}; set top to transformer or r_transformer, or leave residual_attention out",
        "residual_attention：{a}；请把 top 设为 transformer 或 r_transformer，或不设 residual_attention",
    ),
    ("the tagger {a} does not use relative distances", "标注器 {a} 不使用相对距离"),
    ("the tagger {a} has no lattice to draw", "标注器 {a} 没有可画的词格"),
    ("{a}: there is no file {b}; give the path of a .vec file", "{a}：没有文件 {b}；请给出 .vec 文件的路径"),
    # frames around another reason
    (
        "{reason}; copy the whole model folder again, or train the tagger again",
        "{reason}；请重新复制整个模型文件夹，或重新训练标注器",
    ),
    ("{reason}; update LatticeLens or train again", "{reason}；请升级 LatticeLens 或重新训练"),
    ("{reason}; mend or remove it", "{reason}；请修正或移除"),
    ("{reason}; start a new run", "{reason}；请开始新的运行"),
    ("training setting {reason}", "训练设置 {reason}"),
    ("setting {reason}", "设置 {reason}"),
    ("encoder: {reason}", "编码器：{reason}"),
    ("first_layer, last_layer: {reason}", "first_layer、last_layer：{reason}"),
    ("frozen_layers: {reason}", "frozen_layers：{reason}"),
    # options
    ("there is no field {a}; there are: {b}", "没有选项 {a}；现有：{b}"),
    ("{a}: {b} does not fit, it takes {phrase}", "{a}：{b} 不合适，应为{phrase}"),
    ("{a}: {b} is not a multiple of the {c} heads", "{a}：{b} 不是注意力头数 {c} 的倍数"),
    ("{a}: {b} cannot be halved between the two directions", "{a}：{b} 无法平分给两个方向"),
    ("{a}: {b} has no middle; give an odd number", "{a}：{b} 没有中间位置，请给奇数"),
    ("{a}: {b} has no middle, it takes an odd number", "{a}：{b} 没有中间位置，请给奇数"),
    ("word_vectors: {a} reads no word vectors; leave it empty", "word_vectors：{a} 不读词向量，请留空"),
    (
        "start_weight, end_weight, match_weight: one of them must be above 0",
        "start_weight、end_weight、match_weight：至少一个须大于 0",
    ),
    (
        "neighbours: {a} cannot read them without learning from them; set neighbours to 0, or choose "
        "an encoder "
        "such as BERT, RoBERTa or ELECTRA",
        "neighbours：{a} 无法只读不学；请把 neighbours 设为 0，或选择 BERT、RoBERTa、ELECTRA 一类编码器",
    ),
    ("mrc needs at least one label to ask for", "mrc 至少需要一个可提问的标签"),
    ("pu needs at least one label to find", "pu 至少需要一个要找的标签"),
    (
        "prior: the share must lie between 0 and 1, both excluded, got {a}: 0 would say that no "
        "character is of "
        "the type and 1 that all are, and then there is nothing to learn",
        "先验：比例须在 0 与 1 之间（不含两端），收到 {a}：0 表示没有字符属于该类型，1 表示全部属于，"
        "都无可学习",
    ),
    (
        "prior: the share{phrase} must lie between 0 and 1, both excluded, got {a}: 0 would say that "
        "no character is of "
        "the type and 1 that all are, and then there is nothing to learn",
        "先验：{phrase}比例须在 0 与 1 之间（不含两端），收到 {a}：0 表示没有字符属于该类型，1 "
        "表示全部属于，都无可学习",
    ),
    ("prior: there is no type {a} to learn; there are: {b}", "先验：没有要学习的类型 {a}；现有：{b}"),
    (
        "prior: {a} does not read as one share, or as TYPE=share with commas between",
        "先验：{a} 既不是一个比例，也不是用逗号分隔的“类型=比例”",
    ),
    (
        "over_options: they are of a tagger; name it by over, or leave them empty",
        "over_options：这是某个标注器的选项；请用 over 指明是哪一个，或将其留空",
    ),
    (
        "over_options: {a} is of what scores tags in {b}; over it PU answers, so leave it out",
        "over_options：{a} 属于 {b} 中给标签打分的部分，而这里由 PU 作答；请去掉",
    ),
    (
        "over_options: {a} does not read as OPTION=VALUE with commas between, nor as JSON",
        "over_options：{a} 既不是用逗号分隔的“选项=值”，也不是 JSON",
    ),
    (
        "{a}: {b} has no such option; leave it as it is, or over empty",
        "{a}：{b} 没有这个选项；请保持默认值，或将 over 留空",
    ),
    (
        "{a} % of all characters are labelled {b}: with a recall of {c} that makes a share of {d}, "
        "but a prior "
        "lies below 1. Take words out of the list, or give the prior",
        "全部字符中有 {a}% 标为 {b}：按召回率 {c} 推算，比例为 {d}，而先验须小于 1。"
        "请从词表中移除一些词，或直接给出先验",
    ),
    ("filters: {a} does not fit; it takes pairs like {b}", "filters：{a} 不合适，应为形如 {b} 的数对"),
    ("masked, random: {a} and {b} are more than all together", "masked、random：{a} 与 {b} 之和超过全部"),
    ("characters, bigrams, words: choose at least one of them", "字、二元组、词：请至少选择一种"),
    ("last_rate: {a} is above learning_rate, {b}", "last_rate：{a} 大于 learning_rate {b}"),
    ("longest_part: {a} is less than shortest_part, {b}", "longest_part：{a} 小于 shortest_part {b}"),
    ("there is no tagger {a}; there are: {b}", "没有标注器 {a}；现有：{b}"),
    ("the tagger name {a} is taken by {b}", "标注器名称 {a} 已被 {b} 占用"),
    # saved models
    (
        "there is no model folder {a}; give the folder that training wrote",
        "没有模型文件夹 {a}；请给出训练写成的文件夹",
    ),
    ("{a} does not describe a tagger of format {b}", "{a} 描述的不是格式 {b} 的标注器"),
    ("{a} needs 'tagger' (a name) and 'config' (an object)", "{a} 需要 'tagger'（名称）和 'config'（对象）"),
    (
        "{a} {phrase} {b}, so it is of another model than {c}",
        "{a} {phrase} {b}，因此与 {c} 不是同一个模型",
    ),
    ("{a}: 'labels' must be a list of names", "{a}：'labels' 应为名称列表"),
    ("{a}: a label is listed twice", "{a}：有标签重复列出"),
    ("{a}: {b} has shape {c}, not {d}", "{a}：{b} 的形状是 {c}，而不是 {d}"),
    ("{a} must be an object of surfaces", "{a} 应为以词面为键的对象"),
    (
        "{a}: {b} needs a label of the model and a share from 0 to 1",
        "{a}：{b} 需要模型的一个标签和 0 到 1 的比例",
    ),
    ("{a}: mrc needs labels", "{a}：mrc 需要标签"),
    ("{a}: pu needs labels", "{a}：pu 需要标签"),
    ("{a} must hold one query for each label", "{a} 应为每个标签各有一个问题"),
    (
        "{a}: the query of {b} must be a text of 1 to {c} characters",
        "{a}：{b} 的问题应为 1 到 {c} 个字符的文字",
    ),
    ("{a} must be a list of at most {b} texts", "{a} 应为最多 {b} 篇文本的列表"),
    ("{a}: a text is no string, or too long", "{a}：有文本不是字符串，或过长"),
    ("{a} must hold {b}", "{a} 应含 {b}"),
    ("dimension must be 1 to 4096, got {a}", "维数应为 1 到 4096，收到 {a}"),
    ("a vocabulary holds non-empty strings only", "词汇表只能含非空字符串"),
    ("a vocabulary is a list of strings", "词汇表应为字符串列表"),
    ("a vocabulary lists a token twice", "词汇表中有词元重复"),
    # training
    (
        "this tagger has no parameter that learns; check which parts are frozen",
        "此标注器没有可学习的参数；请检查冻结了哪些部分",
    ),
    (
        "there are no training documents with text; choose another training set",
        "训练集中没有带文本的文档；请选择其他训练集",
    ),
    ("there is no device {a}; choose auto, cpu, cuda or mps", "没有设备 {a}；请选择 auto、cpu、cuda 或 mps"),
    ("there is no text to learn from; give a file with text", "没有可学习的文本；请给出含文本的文件"),
    (
        "run {a} was submitted before and is {b}; resume it or start a new run",
        "运行 {a} 以前提交过，状态为 {b}；请继续它或开始新的运行",
    ),
    (
        "run {a} has no request.json: write its request and snapshot first",
        "运行 {a} 没有 request.json：请先写好请求和快照",
    ),
    ("{a} should hold one JSON object", "{a} 应含一个 JSON 对象"),
    ("{a} should list labels with names ({b})", "{a} 应列出带名称的标签（{b}）"),
    ("'meta' must be an object", "'meta' 应为对象"),
    ("a document needs a string under 'text'", "文档的 'text' 应为字符串"),
    ("a document needs an 'id' and a list under 'spans'", "文档需要 'id'，'spans' 应为列表"),
    ("a span must be an object with start, end and label", "片段应为含 start、end 和 label 的对象"),
    ("a span needs whole numbers as start and end, and a label", "片段的 start 和 end 应为整数，并须有标签"),
    ("the score of a span must be a number", "片段的分数应为数字"),
    ("{a}, line {b} is no document ({reason})", "{a} 第 {b} 行不是文档（{reason}）"),
    ("{a}, line {b} is no document ({c})", "{a} 第 {b} 行不是文档（{c}）"),
    ("{a} holds no complete snapshot: {b} is missing", "{a} 中没有完整的快照：缺少 {b}"),
    ("{a} is missing from the snapshot", "快照中缺少 {a}"),
    ("{a} is damaged ({b})", "{a} 已损坏（{b}）"),
    ("{a} does not hold as many documents as {b} says", "{a} 中的文档数与 {b} 所记不符"),
    ("{a} has changed since the snapshot was taken", "{a} 在快照生成之后被改动"),
    ("the word {a} or its type holds a tab or a line break", "词 {a} 或其类型含有制表符或换行"),
    (
        "the disk is full: {a} could not be written to {b}; what was saved before is unchanged. Free some "
        "space, then try again or resume the run",
        "磁盘已满：无法把 {a} 写入 {b}；之前保存的内容未受影响。请清理空间后重试，或继续该任务",
    ),
    (
        "expected added or removed, a tab, a word, a tab and its type",
        "应为 added 或 removed、制表符、词、制表符和类型",
    ),
    ("plan or history is missing", "缺少计划或历史"),
    ("no word could be hidden as a spy", "没有可以藏作“间谍”的词"),
    ("{a} is missing", "缺少 {a}"),
    # orders of the queue
    ("this order needs a tagger; train one first", "这种顺序需要标注器；请先训练一个"),
    (
        "this order reads a tagger's scores of tag sequences, which this tagger does not have; choose "
        "another "
        "order, or a tagger with a CRF or a softmax over tags",
        "这种顺序要读标签序列的分数，而此标注器没有；请选择其他顺序，或带 CRF 或标签 softmax 的标注器",
    ),
    (
        "this order compares two runs; there is only one, so train another",
        "这种顺序比较两个运行，现在只有一个；请再训练一个",
    ),
    (
        "this order compares with the dictionary; give some words a type first",
        "这种顺序与词典比较；请先为一些词指定类型",
    ),
    (
        "this order looks at what is labelled; label some documents first",
        "这种顺序依据已有标注；请先标注一些文档",
    ),
    # looking inside
    ("the trace of a {a} tagger has no query {b}", "{a} 标注器的记录中没有问题 {b}"),
    ("the tagger {a} has no attention", "标注器 {a} 没有注意力"),
    ("{a} gives no probability to any span", "{a} 不给片段概率"),
    ("{a} reads no lexicon", "{a} 不读词典"),
    ("a projection needs at least {a} vectors, got {b}", "投影至少需要 {a} 个向量，收到 {b} 个"),
    (
        "a probe needs characters to learn from and characters to be scored on",
        "探针需要用于学习的字符和用于评分的字符",
    ),
    ("there are no documents to resample", "没有可重采样的文档"),
)

# What an option takes, as `core.taggers.base.config_fields` words it.
PHRASES: tuple[tuple[str, str], ...] = (
    ("one of {a}", "以下之一：{a}"),
    ("a whole number from {a} to {b}", " {a} 到 {b} 的整数"),
    ("a whole number of at least {a}", "不小于 {a} 的整数"),
    ("a whole number of at most {a}", "不大于 {a} 的整数"),
    ("a whole number", "整数"),
    ("a number from {a} to {b}", " {a} 到 {b} 的数"),
    ("a number of at least {a}", "不小于 {a} 的数"),
    ("a number of at most {a}", "不大于 {a} 的数"),
    ("a number", "数"),
    ("yes or no", "是或否"),
    (" of {a}", "{a} 的"),
    ("has no tensor", "没有张量"),
    ("has a tensor too many:", "多出张量"),
    ("text", "文字"),
)
