"""Texts that tests draw: words, sentences and everything that is neither."""

from hypothesis import strategies as st

WORDS = """
    pump seal X-200 pressure 12.5 bar replace every 24 months l'eau Dichtung Straße valve's 1,200
    déjà 密封圈 の交換 펌프 v2.3.1 the of and follow-up 😀 NASA e.g. Dr.
""".split()

ENDS = [" ", ". ", "! ", "? ", "\n", "\n\n", "\n- ", "。", "; ", ".” ", " | "]

pieces = st.tuples(st.sampled_from(WORDS), st.sampled_from(ENDS)).map("".join)

prose = st.lists(pieces, max_size=40).map("".join)
"""Text with sentences, lists and several scripts."""

anything = st.one_of(prose, st.text(max_size=200))
