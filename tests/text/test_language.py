"""Which texts count as Chinese."""

import pytest

from core.text.language import mostly_chinese


@pytest.mark.parametrize(
    ("texts", "chinese"),
    [
        ([], False),
        (["", "12, 3!"], False),
        (["林晓在青禾大学读书。"], True),
        (["The shop opened in Harbour Street."], False),
        (["他用 Korvane X2 拍照，很满意。"], True),
        (["Velmo sells 茶 and coffee."], False),
        (["彼は昨日、横浜の図書館へ行きました。"], False),
        (["그는 어제 도서관에 갔다."], False),
        (["𠮷𠮷"], True),
    ],
)
def test_most_letters_are_han_and_hardly_any_kana(texts, chinese):
    assert mostly_chinese(texts) is chinese
    assert mostly_chinese(iter(texts)) is chinese
