"""Knowledge distillation (Hinton, Vinyals and Dean, 2015): a tagger learns from another's probabilities."""
