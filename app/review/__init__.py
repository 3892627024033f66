"""The Review page: adjudication of annotators' versions."""
