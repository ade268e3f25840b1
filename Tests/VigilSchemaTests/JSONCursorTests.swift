import Testing

@testable import VigilSchema

@Suite("JSON text")
struct JSONCursorTests {
    /// The place behind the value and the white space that follows it, or the error.
    private func skip(_ text: String, depth: Int = 0) -> Result<Int, JSONError> {
        let bytes = Array(text.utf8)
        var cursor = JSONCursor(offset: 0)
        do {
            try cursor.skipValue(bytes.span, depth: depth)
            return .success(cursor.offset)
        } catch { return .failure(error) }
    }

    @Test("holds white space of four kinds between its parts, and no other")
    func whiteSpace() {
        for byte in UInt8.min...UInt8.max {
            let bytes: [UInt8] = [byte, 0x31]
            var cursor = JSONCursor(offset: 0)
            let isWhite = [0x20, 0x09, 0x0A, 0x0D].contains(byte)
            let next = cursor.peek(bytes.span)
            #expect(next == (isWhite ? 0x31 : byte) && cursor.offset == (isWhite ? 1 : 0))
        }
        var cursor = JSONCursor(offset: 0)
        let bytes = Array(" \n".utf8)
        let next = cursor.peek(bytes.span), isTaken = cursor.take("\0", bytes.span)
        #expect(next == 0 && !isTaken && cursor.offset == 2)
    }

    @Test(
        "is read past, whatever value it is",
        arguments: [
            ("1", 1), (" -1.5e3 ,", 7), (#""a""#, 3), (#""""#, 2), ("true", 4), (" false ", 6), ("null]", 4), ("[]", 2), ("{}", 2),
            ("[ ]", 3), ("{ }", 3), ("[1]", 3), ("[1,[2,[]],{}]", 13), (#"{"a":1}"#, 7), (#"{"a" : {"b":[null,true]} , "c":"d"}x"#, 35),
            ("0]", 1), (#""a\"b""#, 6), (#""\u00e4\\""#, 10), ("[true,false,null]", 17),
        ] as [(String, Int)])
    func skipped(text: String, end: Int) throws { #expect(try skip(text).get() == end) }

    @Test(
        "says where it is broken",
        arguments: [
            ("", 0), (" ", 1), ("x", 0), ("tru", 0), ("trux", 0), ("trUe", 0), ("fals", 0), ("falsy", 0), ("nul", 0), ("nulL", 0),
            ("Null", 0),
            ("[", 1), ("[1", 2), ("[1,", 3), ("[1,]", 3), ("[,", 1), ("[1 2]", 3), ("[1}", 2), ("{", 1), ("{1", 1), ("{a:1}", 1),
            (#"{"a""#, 4), (#"{"a" 1}"#, 5), (#"{"a":}"#, 5), (#"{"a":1"#, 6), (#"{"a":1,"#, 7), (#"{"a":1,}"#, 7), (#"{"a":1]"#, 6),
            (#"{"a":1 "b":2}"#, 7), (#"""#, 0), (#""a"#, 0), (#" "abcdefg"#, 1), (#""abcdefgh"#, 0), (#""abcdefghi"#, 0),
            (#""abcdefghijklmnop"#, 0), ("\"a\nb\"", 2), ("\"\u{1F}\"", 1), ("\"abcdefgh\u{0}\"", 9), ("\"abcdefghij\t\"", 11),
            (#""\"#, 1), (#""\x""#, 1), (#""ab\U0041""#, 3), (#""\u12""#, 1), (#""\u12"#, 1), (#""\u123"#, 1), (#""\u123""#, 1),
            (#""\u12g4""#, 1), (#""\ud800""#, 1), (#""\ud800x""#, 1), (#""\ud800\n""#, 1), (#""\ud800\u0041""#, 1), (#""\udc00""#, 1),
            (#""\udfff\ud800""#, 1), (#""\ud800\ud800""#, 1), (#""\ud800\u12""#, 7), (#""\ud800\uE000""#, 1), (#""\ud800\"#, 1),
            (#""\ud800\u"#, 7), (#""\u1234"#, 0), (#""\ud800\udc00"#, 0), (#""\n"#, 0),
        ] as [(String, Int)])
    func broken(text: String, offset: Int) {
        guard case .failure(let error) = skip(text) else { Issue.record("\(text) is read"); return }
        #expect(error.code == .malformed && error.offset == offset, "\(text)")
    }

    @Test("is refused beyond 32 levels")
    func depth() throws {
        for (open, close) in [("[", "]"), (#"{"a":"#, "}")] {
            func nested(_ levels: Int) -> String {
                String(repeating: open, count: levels) + "1" + String(repeating: close, count: levels)
            }
            #expect(try skip(nested(31)).get() == nested(31).utf8.count)
            guard case .failure(let error) = skip(nested(32)) else { Issue.record("33 levels are read"); return }
            #expect(error.code == .tooLarge && error.offset == 32 * open.utf8.count)
        }
        guard case .failure = skip("1", depth: 32), case .success = skip("1", depth: 31) else { Issue.record("depth"); return }
    }

    @Test("has strings of any length with an escape, a quote or a control character at any place, seen eight bytes at once")
    func strings() throws {
        for length in 0..<26 {
            let plain = String((0..<length).map { Character(Unicode.Scalar(UInt8(0x61 + $0))) })
            for rest in ["", "x", ",12345678901"] {
                let bytes = Array(("\"" + plain + "\"" + rest).utf8)
                var cursor = JSONCursor(offset: 0)
                let raw = try cursor.string(bytes.span)
                #expect(raw.range == 1..<(length + 1) && !raw.isEscaped && cursor.offset == length + 2)
                #expect(try raw.text(bytes.span) == plain && raw.checkedText(bytes.span) == plain)
                #expect(raw.equals(plain, bytes.span) && !raw.equals(plain + "x", bytes.span))
                #expect(length == 0 || !raw.equals(String(plain.dropLast()) + "!", bytes.span))
            }
            for place in 0..<length {
                let text = plain.prefix(place) + "\n" + plain.dropFirst(place)
                let escaped = Array(("\"" + plain.prefix(place) + "\\n" + plain.dropFirst(place) + "\"").utf8)
                var cursor = JSONCursor(offset: 0)
                let raw = try cursor.string(escaped.span)
                #expect(raw.isEscaped && cursor.offset == escaped.count)
                #expect(try raw.text(escaped.span) == text && raw.checkedText(escaped.span) == text && !raw.equals(plain, escaped.span))
                let controlled = Array(("\"" + text + "\"").utf8)
                var other = JSONCursor(offset: 0)
                #expect((#expect(throws: JSONError.self) { try other.string(controlled.span) })?.offset == place + 1)
            }
        }
    }

    @Test("tells the first eight bytes of a key as a number, 0 for a longer or an escaped one")
    func keys() throws {
        for length in 0..<12 {
            let name = String("abcdefghijkl".prefix(length))
            for space in ["", " ", String(repeating: " ", count: 12)] {
                let bytes = Array("\"\(name)\"\(space):\(space)1".utf8)
                var one = JSONCursor(offset: 0), other = JSONCursor(offset: 0)
                let packed = try one.packedKey(bytes.span)
                let raw = try other.key(bytes.span)
                var expected: UInt64 = 0
                for (place, byte) in name.utf8.prefix(8).enumerated() { expected |= UInt64(byte) << (8 * place) }
                #expect(packed == (length <= 8 ? expected : 0) && raw.packed(bytes.span) == packed && one.offset == other.offset)
                #expect(raw.leading(bytes.span) == expected && one.offset == length + 3 + space.utf8.count)
            }
        }
        #expect(UInt64(key: "abc") == 0x636261 && UInt64(key: "abcdefghi") == 0x6867_6665_6463_6261)
        let escaped = Array(#""\u0061":1"#.utf8)
        var cursor = JSONCursor(offset: 0)
        let packed = try cursor.packedKey(escaped.span)
        #expect(packed == 0)
        for (text, offset) in [("x", 0), (#""abc"1"#, 5), (#""abcdefghij" 1"#, 13), (#""abc"#, 0), ("", 0)] {
            var cursor = JSONCursor(offset: 0)
            #expect((#expect(throws: JSONError.self) { try cursor.packedKey(Array(text.utf8).span) })?.offset == offset)
        }
    }

    @Test(
        "has escapes for what they mean",
        arguments: [
            (#"\"\\\/"#, "\"\\/"), (#"\b\f\n\r\t"#, "\u{8}\u{C}\n\r\t"), (#"\u0041\u00e4\u00E4"#, "Aää"), (#"\uD83D\uDE00"#, "😀"),
            (#"\uD800\uDC00"#, "\u{10000}"), (#"\uDBFF\uDFFF"#, "\u{10FFFF}"), (#"\uD7FF\uE000"#, "\u{D7FF}\u{E000}"),
            (#"\uabcd\uABCD\u9090"#, "\u{ABCD}\u{ABCD}\u{9090}"), (#"a\tb"#, "a\tb"), (#"\u0000"#, "\0"), (#"\ud83d\ude00!"#, "😀!"),
            (#"ä\u0031ö"#, "ä1ö"), (#"\uffff\u000a"#, "\u{FFFF}\n"),
        ])
    func escapes(text: String, meaning: String) throws {
        let bytes = Array("\"\(text)\"".utf8)
        var cursor = JSONCursor(offset: 0)
        let raw = try cursor.string(bytes.span)
        #expect(try raw.text(bytes.span) == meaning && raw.checkedText(bytes.span) == meaning && cursor.offset == bytes.count)
    }

    @Test(
        "ends with the document, but for white space",
        arguments: [("1", 1, nil), ("1 \n", 1, nil), ("1 x", 1, 2), ("1", 0, 0)] as [(String, Int, Int?)])
    func end(text: String, offset: Int, stranger: Int?) {
        let bytes = Array(text.utf8)
        var cursor = JSONCursor(offset: offset)
        do {
            try cursor.expectEnd(bytes.span)
            #expect(stranger == nil)
        } catch { #expect(error.code == .malformed && error.offset == stranger) }
    }
}
