"""Ways to train any tagger better, one file each; several may be on at once.

The order in which they act is that of ``composition.Strategies``. Nothing is imported here: the form reads
``settings`` without loading torch.
"""
