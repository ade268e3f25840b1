import Testing
import VigilSchema

@Suite("Texts that are cut")
struct KeptTextTests {
    /// A letter with so many accents behind it: one character of 1 + 2 × `count` bytes.
    private static func accented(_ count: Int) -> String { "e" + String(repeating: "\u{301}", count: count) }

    @Test(
        "are kept up to a number of bytes, whole letters only, NUL as the character for what cannot be shown",
        arguments: [
            ("abc", 3, "abc"), ("abc", 2, "ab"), ("abc", 0, ""), ("", 5, ""), ("aé", 3, "aé"), ("aé", 2, "a"), ("€", 3, "€"), ("€", 2, ""),
            ("😀", 4, "😀"), ("😀", 3, ""), ("a\0b", 5, "a\u{FFFD}b"), ("a\0b", 4, "a\u{FFFD}"), ("a\0b", 3, "a"), ("é!", 2, "é"),
        ])
    func bytes(text: String, most: Int, kept: String) {
        #expect(text.kept(most) == kept)
    }

    @Test(
        "are cut to a number of characters of four bytes each, and a longer one within itself",
        arguments: [
            ("abc", 2, "ab"), ("abc", 3, "abc"), ("abc", 4, "abc"), ("😀😀", 1, "😀"), ("😀😀", 2, "😀😀"), (accented(1), 1, accented(1)),
            (accented(2), 1, accented(1)), (accented(30), 1, accented(1)), ("a" + accented(3), 2, "a" + accented(3)),
            ("a" + accented(4), 2, "a" + accented(3)), ("é\u{301}", 1, "é\u{301}"), ("é\u{301}\u{301}", 1, "é\u{301}"), ("", 3, ""),
        ])
    func characters(text: String, most: Int, cut: String) {
        #expect(Array(text.cut(characters: most).utf8) == Array(cut.utf8))
        #expect(Array(text.kept(characters: most).utf8) == Array(cut.utf8))
        #expect(text.fits(characters: most) == (text.utf8.count == cut.utf8.count))
    }

    @Test("keep a NUL where they are only cut")
    func null() {
        #expect("a\0b".cut(characters: 3) == "a\0b" && "a\0b".kept(characters: 3) == "a\u{FFFD}b")
    }
}
