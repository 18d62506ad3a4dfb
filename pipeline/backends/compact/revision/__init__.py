"""The agreement gate and the edit: which value of the evidence belongs in a span's place."""
