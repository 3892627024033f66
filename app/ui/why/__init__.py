"""Why a tagger predicts a span: in words, and the drawer beside a text."""
