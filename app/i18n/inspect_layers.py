"""Strings of the Inspect page's panel of mixed layers."""

STRINGS: dict[str, tuple[str, str]] = {
    "inspect_layers.place.encoder": ("layers of the encoder", "编码器各层"),
    "inspect_layers.place.input": ("LSTM input", "LSTM 输入处"),
    "inspect_layers.place.output": ("LSTM output", "LSTM 输出处"),
    "inspect_layers.place.n-grams": ("n-grams by length", "各长度的 n 元组"),
    "inspect_layers.layer": ("layer", "层"),
    "inspect_layers.lengths": ("characters in the n-gram", "n 元组的字数"),
    "inspect_layers.layer_n": ("layer {number}", "第 {number} 层"),
    "inspect_layers.share": ("share s", "份额 s"),
    "inspect_layers.equal": ("equal shares", "均等份额"),
    "inspect_layers.pull": ("pull of λ", "λ 的拉力"),
    "inspect_layers.penalty": ("penalty λ‖w‖²", "惩罚项 λ‖w‖²"),
    "inspect_layers.steps": ("steps of the training", "训练步数"),
    "inspect_layers.compare": ("Compare with run", "与另一个运行比较"),
    "inspect_layers.compare_info": (
        "Only runs that mix layers are offered.",
        "只列出混合了编码器各层的运行。",
    ),
    "inspect_layers.nobody": ("no other run", "不比较"),
    "inspect_layers.shares_how": (
        "Bars: the share s of each layer, 0 being the embeddings; dashed: equal shares. γ scales the mix.",
        "柱：各层的份额 s，0 为嵌入层；虚线是均等份额。γ 缩放整个混合结果。",
    ),
    "inspect_layers.tokens_how": (
        "Each column is one character, each row a layer: every character weighs the layers for itself, so "
        "there is no single path over the training.",
        "每一列是一个字，每一行是一层：每个字各自给各层加权，因此没有统一的训练轨迹。",
    ),
    "inspect_layers.penalty_how": (
        "The penalty λ‖w‖² at the {place} now adds {penalty} to the loss (λ = {strength}).",
        "{place}的惩罚项 λ‖w‖² 目前给损失加上 {penalty}（λ = {strength}）。",
    ),
    "inspect_layers.pull_how": (
        "The lower bars show how fast the penalty alone would move each share: below 0 it takes from that "
        "layer. At equal shares it rests.",
        "下方的柱表示仅由惩罚项推动时各份额变化的快慢：小于 0 表示从该层拿走份额；份额均等时它不再作用。",
    ),
    "inspect_layers.no_path": (
        "This run wrote no path of its mix down: it was trained by an earlier version, or elsewhere. "
        "Train it again to see one.",
        "该运行没有记录混合权重的轨迹：它由较早的版本或在别处训练。重新训练即可看到。",
    ),
    "inspect_layers.path_how": (
        "The same shares while the run learned. The saved model is the best epoch's, so the bars may differ "
        "from the last point.",
        "训练过程中的份额变化。保存的是最佳一轮的模型，所以上面的柱可能与最后一点不同。",
    ),
}
