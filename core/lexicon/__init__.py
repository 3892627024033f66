"""Words with frequencies and types, the matcher that finds them in text, and the lattice.

Needs no torch: the first page, the importers and the command line use it without loading torch.
"""

from core.lexicon.entry import Entry, LexiconError, WordListError, WordListProblem
from core.lexicon.lattice import Lattice
from core.lexicon.lexicon import Lexicon, Match
from core.lexicon.word_list import WordList, read_word_list

__all__ = [
    "Entry",
    "Lattice",
    "Lexicon",
    "LexiconError",
    "Match",
    "WordList",
    "WordListError",
    "WordListProblem",
    "read_word_list",
]
