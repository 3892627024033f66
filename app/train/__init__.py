"""The Train page: taggers, pretraining and the training recipe."""
