"""One parser a family of file formats: bytes in, sections of text out."""
