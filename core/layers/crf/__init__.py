"""The linear-chain conditional random field: likelihood, decoding, k best paths, partial labels."""
