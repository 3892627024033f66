"""Training strategies for any tagger, one file each; several may be on at once.

``composition.Strategies`` defines their order. Nothing is imported here: the form reads ``settings`` without
loading torch.
"""
