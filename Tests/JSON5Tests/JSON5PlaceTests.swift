import JSON5
import Testing

@Suite("Places and limits of JSON5")
struct JSON5PlaceTests {
    private func number(_ text: String) throws -> Double? {
        if case .number(let number) = try JSON5Parser.parse(text).content { number } else { nil }
    }

    private func string(_ text: String) throws -> String? {
        if case .string(let string) = try JSON5Parser.parse(text).content { string } else { nil }
    }

    @Test(
        "numbers are what they say",
        arguments: [
            ("-.5", -0.5), ("-5.", -5), ("+Infinity", .infinity), ("0.0", 0), ("0.", 0), (".0", 0), ("10", 10), ("100e-2", 1),
            ("5.e2", 500), (".5e1", 5), ("0x0", 0), ("0XaF", 175), ("0x00000000000000001", 1),
            ("-0xFFFFFFFFFFFFFFFF", -18_446_744_073_709_551_616), ("0xe", 14), ("0e1", 0), ("1e+2", 100), ("1E-1", 0.1), ("/*a*/1//b", 1),
            ("\u{FEFF}1", 1), ("\u{A0}1\u{2028}", 1),
        ] as [(String, Double)])
    func numbers(text: String, expected: Double) throws {
        #expect(try number(text) == expected)
    }

    @Test("is no number, or no sign of one", arguments: ["NaN"])
    func notANumber(text: String) throws {
        #expect(try number(text)?.isNaN == true && number("-" + text)?.isNaN == true)
    }

    @Test(
        "what is no number is refused",
        arguments: [
            "0x１", "0X1e+1", "0x", "-0x", "+", "-", "+-1", "-+1", "00", "-01", "0x10000000000000000", "0x1.5", "0xe+1", "1e+", "e5", ".e5",
            "1.5.5", "Infinit", "Nan", "1٣", "٣", "-.", "1__0", "+e1", "0x-1",
        ])
    func noNumbers(text: String) { #expect(throws: JSON5Problem.self) { try JSON5Parser.parse(text) } }

    @Test(
        "texts are what they say",
        arguments: [
            (#"'\b\f\v'"#, "\u{8}\u{C}\u{B}"), (#""it's""#, "it's"), (#"'"'"#, "\""), (#"'\uD800\uDC00'"#, "\u{10000}"),
            (#"'\uDBFF\uDFFF'"#, "\u{10FFFF}"), (#"'\uD7FF\uE000'"#, "\u{D7FF}\u{E000}"), (#"'\x7e\x0A'"#, "~\n"), ("'a\\\u{2028}b'", "ab"),
            ("'a\\\rb'", "ab"), ("'a\u{2028}b'", "a\u{2028}b"), (#"''"#, ""), (#"'\/'"#, "/"), (#"'\uabCD'"#, "\u{ABCD}"),
        ] as [(String, String)])
    func texts(text: String, expected: String) throws { #expect(try string(text) == expected) }

    @Test(
        "say where they are wrong, to the column",
        arguments: [
            ("  x", 1, 3), ("1\n2", 2, 1), ("1\r\n2", 2, 1), ("1\r2", 2, 1), ("1\u{2028}2", 2, 1), ("[1,\n\n 2 3]", 3, 4),
            ("{\n 'a': 1,\n 'a': 2}", 3, 2),
            ("{a: 1", 1, 6), ("{a", 1, 3), ("{", 1, 2), ("{a:", 1, 4), ("[", 1, 2), ("{a: 1 b: 2}", 1, 7), ("{1a: 2}", 1, 2),
            ("{a-b: 2}", 1, 3),
            ("{,}", 1, 2), ("[,]", 1, 2), ("[1,,2]", 1, 4), ("{a: 1,,}", 1, 7), ("'a\nb'", 1, 1), ("['a\rb']", 1, 2), (" \"a", 1, 2),
            (#"'\'"#, 1, 1), (#"'\"#, 1, 3), (#"'\1'"#, 1, 3), (#"'\xg0'"#, 1, 3), (#"'\x1'"#, 1, 3), (#"'ab\uD800x'"#, 1, 5),
            (#"'\uD800\n'"#, 1, 3), (#"'\uD800\u0041'"#, 1, 3), (#"'\uDC00'"#, 1, 3), (#"'\uD800\uE000'"#, 1, 3),
            (#"'\uD800\uDBFF'"#, 1, 3),
            ("/* a\n b", 1, 1), (" /*", 1, 2), ("1 /", 1, 3), ("/1", 1, 1), ("5m", 1, 1), ("[1, 5m]", 1, 5), (#"{\x61: 1}"#, 1, 2),
            (#"{\u0031a: 1}"#, 1, 2), (#"{a\u002D: 1}"#, 1, 3), ("tru", 1, 1), ("[fals]", 1, 2), ("{a: }", 1, 5), ("\u{FEFF}x", 1, 1),
        ] as [(String, Int, Int)])
    func places(text: String, line: Int, column: Int) {
        let problem = #expect(throws: JSON5Problem.self) { try JSON5Parser.parse(text) }
        #expect(problem?.position == SourcePosition(line: line, column: column), "\(problem?.description ?? "")")
    }

    @Test("lists and objects are nested 64 deep, and not one deeper")
    func depth() throws {
        for (open, close) in [("[", "]"), ("{a:", "}")] {
            func nested(_ levels: Int) -> String { String(repeating: open, count: levels) + "1" + String(repeating: close, count: levels) }
            _ = try JSON5Parser.parse(nested(64))
            let problem = #expect(throws: JSON5Problem.self) { try JSON5Parser.parse(nested(65)) }
            #expect(problem?.position.column == 64 * open.utf8.count + 1)
        }
        // What has been closed does not count any more.
        _ = try JSON5Parser.parse("[" + String(repeating: "[1],{a:2},", count: 100) + "]")
    }

    @Test("names may have letters, digits and marks, escaped ones too, and remember their place")
    func names() throws {
        let text = "{a1: 1, _b: 2, $c: 3, \\u00e4d: 4, 'e f': 5,\n  n\\u0061me: 6, u\u{308}: 7}"
        guard case .object(let members) = try JSON5Parser.parse(text).content else { Issue.record("no object"); return }
        #expect(members.map(\.name) == ["a1", "_b", "$c", "äd", "e f", "name", "u\u{308}"])
        #expect(
            members[5].position == SourcePosition(line: 2, column: 3) && members[5].value.position == SourcePosition(line: 2, column: 14))
        #expect(
            members[0].position == SourcePosition(line: 1, column: 2) && members[0].value.position == SourcePosition(line: 1, column: 6))
    }

    @Test(
        "suggest what was probably meant",
        arguments: [
            ("5m", "a text such as a duration needs quotes: \"5m\""), ("tru", "did you mean \"true\"?"),
            ("hello", "a text needs quotes: \"hello\""),
            ("[1 2]", "is a comma missing before it?"), ("{a: 1, a: 2}", "remove one of them"), ("'a", "close it with '"),
            ("[1", "close it with ]"),
            ("{a: 1", "close it with }"), ("{", "close it with }"), ("/*", "close it with */"),
            ("{+: 1}", "a name with other letters needs quotes"),
            ("-x", nil),
        ] as [(String, String?)])
    func suggestions(text: String, suggestion: String?) {
        let problem = #expect(throws: JSON5Problem.self) { try JSON5Parser.parse(text) }
        #expect(problem?.suggestion == suggestion)
    }

    @Test("names the kind of a value, and sorts problems by their place")
    func kinds() throws {
        let texts = ["null": "null", "true": "true or false", "1": "a number", "'a'": "a text", "[]": "a list", "{}": "an object"]
        for (text, kind) in texts { #expect(try JSON5Parser.parse(text).kind == kind) }
        let problems = JSON5Problems()
        for (line, column) in [(2, 1), (1, 9), (1, 2), (2, 0)] { problems.add("\(line)", at: SourcePosition(line: line, column: column)) }
        #expect(
            problems.sorted.map(\.position.description) == ["1:2", "1:9", "2:0", "2:1"] && !problems.isEmpty && JSON5Problems().isEmpty)
    }

    @Test("a reader gives members of their type, on the bounds, and notes what others are")
    func reader() throws {
        let text = "{n: 1.5, i: -3, k: 7, b: false, s: 't', l: [1, 'x'], o: {p: 1}, inf: Infinity, c: 'high', z: null}"
        let problems = JSON5Problems()
        var object = try #require(JSON5Object(try JSON5Parser.parse(text), as: "the test", problems: problems))
        #expect(object.number("n") == 1.5 && object.integer("i", in: -3...7) == -3 && object.integer("k", in: -3...7) == 7)
        #expect(
            object.bool("b") == false && object.string("s") == "t" && object.list("l")?.count == 2
                && object.choice("c", of: ["low", "high"]) == "high")
        #expect(object.object("o")?.names == ["p"] && object.has("z") && !object.has("y") && object.value("z") != nil)
        #expect(
            object.number("y") == nil && object.string("y") == nil && object.bool("y") == nil && object.list("y") == nil && problems.isEmpty
        )
        #expect(object.number("inf") == nil && object.integer("i", in: -2...7) == nil && object.integer("k", in: -3...6) == nil)
        #expect(
            object.bool("s") == nil && object.string("n") == nil && object.list("o") == nil && object.object("l") == nil
                && object.choice("n", of: []) == nil)
        #expect(object.strings("l") == ["x"] && object.choice("s", of: ["x", "yy"]) == nil)
        #expect(
            problems.all.map(\.message) == [
                #""inf" must be a number, not a number"#, #""i" must be a whole number from -2 to 7, not a number"#,
                #""k" must be a whole number from -3 to 6, not a number"#, #""s" must be true or false, not a text"#,
                #""n" must be a text, not a number"#, #""o" must be a list, not an object"#, #""l" must be an object, not a list"#,
                #""n" must be a text, not a number"#, #""an element of l" must be a text, not a number"#, #""s" cannot be "t""#,
            ])
        #expect(problems.all.last?.suggestion == "did you mean \"x\"?")
        object.refuseUnknown()
        object.require("z")
        object.require("y")
        #expect(
            problems.all.count == 11 && problems.all.last?.message == #""y" is missing"# && problems.all.last?.position == object.position)
        var free = try #require(JSON5Object(try JSON5Parser.parse("{a: 1}"), as: "it", problems: problems))
        #expect(free.all().map(\.name) == ["a"])
        free.refuseUnknown()
        #expect(JSON5Object(try JSON5Parser.parse("[]"), as: "it", problems: problems) == nil && problems.all.count == 12)
        #expect(problems.all.last?.message == "it must be an object, not a list")
    }
}
