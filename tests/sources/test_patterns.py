import pytest

from headwater.sources.patterns import matches


@pytest.mark.parametrize(
    ("path", "pattern"),
    [
        ("a.md", "**/*"),
        ("deep/er/a.md", "**/*"),
        ("deep/er/a.md", "*.md"),
        ("deep/er/a.md", "deep/**"),
        ("deep/er/a.md", "**/er/*.md"),
        ("er/a.md", "**/er/*.md"),
        ("deep", "deep/"),
        ("x/drafts", "drafts"),
        ("a1.md", "a[0-9].md"),
        ("ab.md", "a[!0-9].md"),
        ("a?.md", "a?.md"),
        ("a+(b).md", "a+(b).md"),
        ("a[b.md", "a[b.md"),
    ],
)
def test_a_pattern_fits(path: str, pattern: str) -> None:
    assert matches(path, [pattern])


@pytest.mark.parametrize(
    ("path", "pattern"),
    [
        ("a.mdx", "*.md"),
        ("deep/a.md", "top/*.md"),
        ("deep/er/a.md", "deep/*.md"),
        ("a1.md", "a[!0-9].md"),
        ("xdrafts", "drafts"),
        ("aXmd", "a.md"),
    ],
)
def test_a_pattern_does_not_fit(path: str, pattern: str) -> None:
    assert not matches(path, [pattern])


def test_no_pattern_fits_nothing() -> None:
    assert not matches("a.md", [])
