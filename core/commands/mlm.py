"""``python -m core mlm``: pretrain an encoder on raw text by masked language modelling."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from core.commands.arguments.set_argument import assignments
from core.commands.runs import raw_text
from core.commands.runs.beginning import JIEBA


def add_parser(subparsers: Any) -> None:
    """Add ``mlm``."""
    parser = subparsers.add_parser(
        "mlm",
        help="go on with an encoder's masked-language-model training on raw text",
        description="Let an encoder, or a tiny new BERT, learn from raw text, and print one JSON object with "
        "the perplexity of text held out. DIR/model is what a tagger takes as its encoder.",
    )
    raw_text.add_arguments(
        parser, out="folder to write to", option="an option (encoder=DIR)", lexicon=True, measured=True
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> Any:
    """Train."""
    from core.learning.mlm.config import MlmConfig, TinyBertConfig
    from core.learning.mlm.training import MODEL
    from core.learning.pretraining.checkpoint import CHECKPOINT

    raw_text.check_out(Path(args.out), args.resume, CHECKPOINT, MODEL)
    config, _tiny = raw_text.configs_of((MlmConfig, TinyBertConfig), assignments(args))
    show = raw_text.show_epochs(lambda dev: f"perplexity {dev:.1f}")
    return raw_text.train_here_or_in_workers(_learn, args, config.threads, show)


def _learn(
    args: argparse.Namespace, report: Callable[[raw_text.Event], None], should_stop: Callable[[], bool]
) -> dict[str, Any] | None:
    """The training in this process, alone or one of several; None if it was stopped."""
    import torch

    from core.learning.mlm.config import MlmConfig, TinyBertConfig
    from core.learning.mlm.preparation import prepare_mlm
    from core.learning.mlm.training import MODEL, train_mlm
    from core.lexicon import Lexicon
    from core.training.device import choose_device
    from core.training.processes import join

    folder = Path(args.out)
    processes = join()
    config, tiny = raw_text.configs_of((MlmConfig, TinyBertConfig), assignments(args))
    device, why = choose_device(args.device, processes)
    text = raw_text.read_texts(args, config.seed)
    torch.set_num_threads(config.threads or torch.get_num_threads())
    lexicon = raw_text.read_lexicon(args.lexicon)
    # The types of jieba's words are parts of speech.
    typed = None if args.lexicon == JIEBA else Lexicon(entry for entry in lexicon if entry.type)
    model, corpus, note = prepare_mlm(text.learned, text.held_out, config, tiny, lexicon, typed)
    for said in (*text.notes, f"Device: {why}", *([str(note)] if note is not None else [])):
        report({"event": "note", "text": said})
    result = train_mlm(
        model,
        corpus,
        config,
        folder=folder,
        report=report,
        should_stop=should_stop,
        device=device,
        processes=processes,
    )
    processes.leave()
    if result.stopped:
        return None
    size = {"documents": len(text.learned), "held_out": len(text.held_out), "pieces": corpus.pieces}
    return {**size, **asdict(result), "encoder": str(folder / MODEL)}
