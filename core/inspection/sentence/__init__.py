"""Why a tagger predicted what it did in one sentence."""
