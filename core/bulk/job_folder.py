"""The output folder of a job: its plan, its parts, and a receipt for every finished block.

::

    plan.json             what was asked; written once blocks.jsonl is whole
    blocks.jsonl          the blocks, one a line
    parts/000012.parquet  the documents of block 12, in the order of the input
    refused/000012.jsonl  its records that were put aside; only if there are any
    done/000012.json      its receipt, written last: a block without one is tagged again
    report.json           written when no block is left

Every file is written whole or not at all, and each name belongs to one block, so that a worker that died, or
two that were given the same block, leave nothing twice.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from core.bulk.blocks import Block
from core.bulk.errors import BulkError
from core.bulk.places import place
from core.bulk.rows import PartFormat
from core.runtime.message import damage_of

PLAN, BLOCKS, REPORT = "plan.json", "blocks.jsonl", "report.json"


class JobFolder:
    """The folder at an address.

    Raises:
        BulkError: no such file system.
    """

    def __init__(self, address: str) -> None:
        self.place = place(address)

    def plan(self) -> dict[str, Any] | None:
        """The plan, if there is one.

        Raises:
            BulkError: it is damaged.
        """
        file = self.place / PLAN
        if not file.is_file:
            return None
        return dict(self._json(file.read(), PLAN))

    def check_empty(self) -> None:
        """Refuse a folder that holds something.

        Raises:
            BulkError: naming one of the files.
        """
        first = next(self.place.files(), None)
        if first is not None:
            raise BulkError(
                "{folder} is not empty, it holds {file}: name another folder, or go on with the job in it "
                "with --resume",
                folder=self.place.address,
                file=first[0].name,
            )

    def begin(self, plan: Mapping[str, Any], blocks: Iterable[Block]) -> int:
        """Write the blocks and the plan; returns the number of blocks."""
        lines = [json.dumps(block.to_json(), ensure_ascii=False) + "\n" for block in blocks]
        (self.place / BLOCKS).write("".join(lines).encode())
        (self.place / PLAN).write(_as_json({**plan, "blocks": len(lines)}))
        return len(lines)

    def blocks(self) -> list[Block]:
        """All blocks.

        Raises:
            BulkError: they are damaged.
        """
        try:
            return [Block(**json.loads(line)) for line in (self.place / BLOCKS).read().splitlines()]
        except (ValueError, TypeError, OSError) as error:
            raise BulkError("{file} is damaged: {reason}", file=BLOCKS, reason=damage_of(error)) from error

    def receipts(self) -> Iterator[dict[str, Any]]:
        """The receipts of the finished blocks."""
        for file, _info in (self.place / "done").files():
            if file.name.endswith(".json"):
                yield self._json(file.read(), file.name)

    def finish(
        self, block: int, part: bytes, format: PartFormat, refused: bytes, receipt: Mapping[str, Any]
    ) -> None:
        """Write what a block became, the receipt last.

        Raises:
            DiskFullError, OSError: it could not be written; the block is unfinished.
        """
        number = f"{block:06d}"
        (self.place / "parts" / f"{number}.{format}").write(part)
        if refused:
            (self.place / "refused" / f"{number}.jsonl").write(refused)
        (self.place / "done" / f"{number}.json").write(_as_json(receipt))

    def part(self, block: int, format: PartFormat) -> bytes:
        """The part of a finished block."""
        return (self.place / "parts" / f"{block:06d}.{format}").read()

    def write_report(self, report: Mapping[str, Any]) -> None:
        """Write ``report.json``."""
        (self.place / REPORT).write(_as_json(report))

    @staticmethod
    def _json(content: bytes, name: str) -> Any:
        try:
            return json.loads(content)
        except ValueError as error:
            raise BulkError("{file} is damaged: {reason}", file=name, reason=damage_of(error)) from error


def _as_json(value: Mapping[str, Any]) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "replace")
