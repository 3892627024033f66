"""An exported tagger as a folder: the graph, and what turns texts into its inputs and scores into spans."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from core.encoders.piece_windows import PieceWindows
from core.encoders.vocabulary import Vocabulary
from core.export.errors import ExportError
from core.export.mean_decoding import MeanSpans, MeanTags
from core.export.onnx.features.by_tagger import FEATURES
from core.export.onnx.features.features import ElmoReading, Features, Sources
from core.export.onnx.header import HEADER, MEMBERS, is_onnx_folder
from core.export.query_decoding import FILE as QUERIES
from core.export.query_decoding import QueryDecoder
from core.export.run_decoding import FILE as RUNS
from core.export.run_decoding import RunDecoder
from core.export.span_decoding import FILE as SPANS
from core.export.span_decoding import SpanDecoder
from core.export.tag_decoding import FILE as TAGS
from core.export.tag_decoding import TagDecoder
from core.lexicon import Lexicon, LexiconError
from core.runtime.message import ToldValueError, _, damage_of
from core.text.overlap import shortest, usual_length_of

FORMAT = 1
GRAPH = "model.onnx"
MATCH = "match.onnx"  # of BERT-MRC
VOCABULARY = "vocabulary.json"
TOKENIZER = "tokenizer.json"
LEXICON = "lexicon"
HINT = _("export the run again")
Decoder = TagDecoder | SpanDecoder | RunDecoder | QueryDecoder
DECODERS: dict[str, type[TagDecoder] | type[SpanDecoder] | type[RunDecoder] | type[QueryDecoder]] = {
    TAGS: TagDecoder,
    SPANS: SpanDecoder,
    RUNS: RunDecoder,
    QUERIES: QueryDecoder,
}


@dataclass(frozen=True)
class OnnxFolder:
    """What a folder says besides its graph.

    Args:
        path: the folder. tagger: registered name. labels: what it finds. features: texts to inputs.
        decoder: scores to spans: of tags, of all spans, of types, or after queries.
        usual_length: of the texts it learned from, see `Tagger`.
    """

    path: Path
    tagger: str
    labels: tuple[str, ...]
    features: Features
    decoder: Decoder
    usual_length: int | None


@dataclass(frozen=True)
class EnsembleFolder:
    """What the folder of an ensemble says.

    Args:
        tagger: registered name. labels: what it finds. members: their folders.
        mean: the scores of all members to spans.
    """

    tagger: str
    labels: tuple[str, ...]
    members: tuple[OnnxFolder, ...]
    mean: MeanTags | MeanSpans

    @property
    def usual_length(self) -> int | None:
        """As that of `Ensemble`."""
        return shortest([member.usual_length for member in self.members])


def write(
    folder: Path,
    tagger: str,
    reader: str,
    labels: tuple[str, ...],
    sources: Sources,
    dimensions: Mapping[str, int],
    decoder: Decoder,
    usual_length: int | None,
) -> None:
    """Write everything but the graph.

    Args:
        tagger: registered name. reader: which features its graph reads, of `FEATURES`.
        dimensions: the width of every table, by name. usual_length: see `OnnxFolder`.
    """
    header: dict[str, Any] = {
        "format": FORMAT,
        "tagger": tagger,
        "reader": reader,
        "labels": list(labels),
        "unit": sources.unit,
        "longest_word": sources.longest_word,
        "pooling": sources.pooling,
        "lexicon_features": sources.lexicon_features,
        "word_queries": sources.word_queries,
        "has_lexicon": sources.lexicon is not None,
        "queries": list(sources.queries),
        "elmo": None if sources.elmo is None else asdict(sources.elmo),
        "pieces": None,
        "usual_length": usual_length,
    }
    if sources.pieces is not None:
        windows = sources.pieces
        header["pieces"] = {
            "window": windows.window,
            "padding": windows.padding,
            "rows": windows.rows,
            "separator": windows.separator,
        }
        (folder / TOKENIZER).write_text(windows.tokenizer_json(), encoding="utf-8")
    if sources.lexicon is not None:
        sources.lexicon.save(folder / LEXICON)
    tables = {
        name: {"dimension": dimensions[name], "tokens": vocabulary.to_json()}
        for name, vocabulary in sources.vocabularies.items()
    }
    _write_json(folder, {HEADER: header, VOCABULARY: tables, **_decoding(decoder)})


def write_ensemble(
    folder: Path, tagger: str, labels: tuple[str, ...], members: int, decoder: Decoder
) -> None:
    """Write what holds the folders of the members together, which are below `MEMBERS`.

    Args:
        tagger: registered name. members: how many. decoder: of the ensemble.
    """
    header = {"format": FORMAT, "tagger": tagger, "labels": list(labels), "members": members}
    _write_json(folder, {HEADER: header, **_decoding(decoder)})


def member_folder(folder: Path, number: int) -> Path:
    """The folder of a member, counted from 1."""
    return folder / MEMBERS / str(number)


def read(folder: Path) -> OnnxFolder | EnsembleFolder:
    """What ``write`` or ``write_ensemble`` wrote.

    Raises:
        ExportError: a file is missing or malformed; says which.
    """
    if not is_onnx_folder(folder):
        raise ExportError("{folder} holds no exported graph: it has no {file}", folder=folder, file=HEADER)
    header = _read_json(folder / HEADER)
    match header:
        case {"format": 1, "tagger": str(tagger), "labels": [*labels], "members": int(count)}:
            return _read_ensemble(folder, tagger, tuple(map(str, labels)), count)
        case {
            "format": 1, "tagger": str(tagger), "reader": str(reader), "labels": [*labels],
            "unit": "character" | "word" as unit,
            "longest_word": int(longest), "pooling": "first" | "mean" as pooling,
            "lexicon_features": "soft" | "softword" | "exsoftword" as kind,
            "word_queries": bool(queries), "has_lexicon": bool(has_lexicon), "pieces": pieces,
        } if reader in FEATURES and all(isinstance(label, str) for label in labels):  # fmt: skip
            pass
        case _:
            raise ExportError(
                "{path} does not describe a graph of format {format}; {hint}",
                path=folder / HEADER,
                format=FORMAT,
                hint=HINT,
            )
    decoder = _read_decoder(folder)
    try:
        sources = Sources(
            unit=unit,
            vocabularies=_read_vocabularies(folder / VOCABULARY),
            lexicon=Lexicon.load(folder / LEXICON) if has_lexicon else None,
            longest_word=longest,
            pieces=None if pieces is None else _read_pieces(folder / TOKENIZER, pieces),
            pooling=pooling,
            lexicon_features=kind,
            word_queries=queries,
            queries=_read_queries(folder / HEADER, header, decoder),
            elmo=_read_elmo(folder / HEADER, header.get("elmo"), reader),
        )
    except LexiconError as error:
        raise ExportError("{reason}; {hint}", reason=error, hint=HINT) from None
    try:
        usual = usual_length_of(header)
    except ValueError as error:
        raise _malformed(folder / HEADER, error) from None
    return OnnxFolder(folder, tagger, tuple(labels), FEATURES[reader](sources), decoder, usual)


def _read_queries(path: Path, header: Mapping[str, Any], decoder: Decoder) -> tuple[str, ...]:
    """One for each label of a tagger that asks; a folder of before there were such has none."""
    queries = header.get("queries", [])
    count = len(decoder.labels) if isinstance(decoder, QueryDecoder) else 0
    if not isinstance(queries, list) or len(queries) != count or not all(isinstance(q, str) for q in queries):
        raise _malformed(path, ValueError("queries"))
    if (header["reader"] == "mrc") != bool(count):
        raise _malformed(path, ValueError("reader"))
    if header["unit"] == "word" and isinstance(decoder, QueryDecoder | RunDecoder):
        raise _malformed(path, ValueError("unit"))
    return tuple(queries)


def _read_elmo(path: Path, value: Any, reader: str) -> ElmoReading | None:
    match value:
        case None if reader != "elmo_crf":
            return None
        case {"unit": "word" | "character" as unit, "longest": int(longest), "widest": int(widest)} if (
            3 <= longest <= 1000 and 1 <= widest <= longest
        ):
            return ElmoReading(unit, longest, widest)
    raise _malformed(path, ValueError("elmo"))


def _read_ensemble(folder: Path, tagger: str, labels: tuple[str, ...], count: int) -> EnsembleFolder:
    if count < 1:
        raise _malformed(folder / HEADER, ValueError("members"))
    decoder = _read_decoder(folder)
    members = []
    for number in range(1, count + 1):
        member = read(member_folder(folder, number))
        if not isinstance(member, OnnxFolder):
            raise _malformed(member_folder(folder, number) / HEADER, ValueError("members"))
        members.append(member)
    decoders = [member.decoder for member in members]
    try:
        if len({member.features.sources.unit for member in members}) != 1:
            raise ValueError("the members have other units")
        mean: MeanTags | MeanSpans
        if isinstance(decoder, TagDecoder):
            mean = MeanTags(decoder, [each for each in decoders if isinstance(each, TagDecoder)])
        elif isinstance(decoder, SpanDecoder):
            mean = MeanSpans(decoder, [each for each in decoders if isinstance(each, SpanDecoder)])
        else:
            raise ValueError("there is no mean of these scores")
        if not all(isinstance(each, type(decoder)) for each in decoders):
            raise ValueError("the members have other scores")
    except ValueError as error:
        raise _malformed(folder / HEADER, error) from None
    return EnsembleFolder(tagger, labels, tuple(members), mean)


def _read_decoder(folder: Path) -> Decoder:
    path = next((folder / file for file in DECODERS if (folder / file).is_file()), folder / TAGS)
    try:
        return DECODERS[path.name].from_json(_read_json(path))
    except ValueError as error:
        if isinstance(error, ExportError):
            raise
        raise _malformed(path, error) from None


def _read_vocabularies(path: Path) -> dict[str, Vocabulary]:
    value = _read_json(path)
    try:
        return {str(name): Vocabulary.from_json(table["tokens"]) for name, table in value.items()}
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise _malformed(path, error) from None


def _read_pieces(path: Path, value: Any) -> PieceWindows:
    match value:
        case {
            "window": int(window), "padding": int(padding), "rows": int(rows),
            "separator": (str() | None) as separator,
        } if window > 0 and rows > 0:  # fmt: skip
            pass
        case _:
            raise _malformed(path.with_name(HEADER), ValueError("pieces"))
    try:
        tokenizer = Tokenizer.from_str(path.read_text(encoding="utf-8"))
        return PieceWindows(
            tokenizer,
            window=window,
            overlap=window // 4,
            padding=padding,
            rows=rows,
            separator=separator,
        )
    except Exception as error:  # tokenizers raises plain Exception
        raise _malformed(path, error) from None


def _decoding(decoder: Decoder) -> dict[str, Any]:
    name = next(file for file, kind in DECODERS.items() if isinstance(decoder, kind))
    return {name: decoder.to_json()}


def _write_json(folder: Path, files: Mapping[str, Any]) -> None:
    for name, value in files.items():
        (folder / name).write_text(json.dumps(value, ensure_ascii=False) + "\n", encoding="utf-8")


def _read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ExportError(
            "{path} cannot be read: {reason}; {hint}", path=path, reason=error, hint=HINT
        ) from None
    except (ValueError, RecursionError):
        raise ExportError("{path} is not JSON, perhaps cut off; {hint}", path=path, hint=HINT) from None


def _malformed(path: Path, error: Exception) -> ExportError:
    reason = error if isinstance(error, ToldValueError) else damage_of(error)
    return ExportError("{path} is malformed ({reason}); {hint}", path=path, reason=reason, hint=HINT)
