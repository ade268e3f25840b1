import JSON5
import Testing

@Suite("JSON5 parser")
struct JSON5ParserTests {
    @Test(
        "reads every form of number",
        arguments: [
            ("0", 0), ("-0.5", -0.5), ("+1", 1), (".5", 0.5), ("5.", 5), ("1e3", 1000), ("1E-2", 0.01), ("0xFF", 255), ("-0x10", -16),
            ("Infinity", .infinity), ("-Infinity", -.infinity), ("6.02e+23", 6.02e23),
        ] as [(String, Double)])
    func numbers(text: String, expected: Double) throws {
        guard case .number(let number) = try JSON5Parser.parse(text).content else {
            Issue.record("\(text) is read as no number")
            return
        }
        #expect(number == expected)
    }

    @Test(
        "refuses what is no number", arguments: ["01", ".", "0x", "1e", "1.2.3", "--1", "5m", "0xG", "1_000"])
    func badNumbers(text: String) {
        #expect(throws: JSON5Problem.self) { try JSON5Parser.parse(text) }
    }

    @Test(
        "reads every escape",
        arguments: [
            (#""a\n\t\\\"b""#, "a\n\t\\\"b"), (#"'\x41\u00e9'"#, "Aé"), (#"'\uD83D\uDE00'"#, "😀"), ("'a\\\nb'", "ab"), ("'a\\\r\nb'", "ab"),
            (#"'it\'s'"#, "it's"), (#"'\0'"#, "\0"), (#"'\q'"#, "q"),
        ])
    func strings(text: String, expected: String) throws {
        guard case .string(let string) = try JSON5Parser.parse(text).content else {
            Issue.record("\(text) is read as no text")
            return
        }
        #expect(string == expected)
    }

    @Test("reads comments, unquoted names, trailing commas and nested values")
    func structure() throws {
        let text = """
            // a rule
            {name: 'x', "list": [1, true, null,], /* inside */ größe_1: {a: NaN},}
            """
        guard case .object(let members) = try JSON5Parser.parse(text).content else {
            Issue.record("no object")
            return
        }
        #expect(members.map(\.name) == ["name", "list", "größe_1"])
        guard case .array(let list) = members[1].value.content else {
            Issue.record("no list")
            return
        }
        #expect(list.count == 3)
    }

    @Test(
        "says where the text is wrong",
        arguments: [
            ("{\n  a: 1\n  b: 2}", 3, 3, "comma"), ("[1, 2", 1, 6, "never ends"), ("{a: tru}", 1, 5, "no value"),
            ("{a 1}", 1, 4, "expected \":\""),
            ("{a: 1,\r\n a: 2}", 2, 2, "twice"), ("'abc", 1, 1, "never ends"), ("/* x", 1, 1, "comment"), ("1 2", 1, 3, "after the end"),
            ("", 1, 1, "missing"), (#"'\u12'"#, 1, 3, "hexadecimal"), (#"'\uD800'"#, 1, 3, "surrogate"), ("[\u{1}]", 1, 2, "control"),
        ] as [(String, Int, Int, String)])
    func problems(text: String, line: Int, column: Int, words: String) throws {
        let problem = try #require(throws: JSON5Problem.self) { try JSON5Parser.parse(text) }
        #expect(problem.position == SourcePosition(line: line, column: column))
        #expect(problem.description.contains(words))
    }

    @Test("names what stands where a value belongs, control characters by their code")
    func names() {
        for (text, words) in [("[\u{7F}]", "(code 127)"), ("[\u{1F}]", "(code 31)"), ("[!]", "\"!\""), ("[", "the end of the file")] {
            let problem = #expect(throws: JSON5Problem.self) { try JSON5Parser.parse(text) }
            #expect(problem?.message.contains(words) == true, "\(problem?.message ?? "")")
        }
    }

    @Test("reads every word for a value as what it says")
    func words() throws {
        let expected: [(String, JSON5Value.Content)] = [("true", .bool(true)), ("false", .bool(false)), ("null", .null)]
        for (text, content) in expected {
            let found = try JSON5Parser.parse(text).content
            #expect("\(found)" == "\(content)", "\(text)")
        }
    }

    @Test("refuses a hundred thousand opening brackets instead of overflowing the stack")
    func depth() {
        #expect(throws: JSON5Problem.self) { try JSON5Parser.parse(String(repeating: "[", count: 100_000)) }
    }

    @Test("refuses bytes that are no UTF-8")
    func encoding() {
        let problem = #expect(throws: JSON5Problem.self) { try JSON5Parser.parse(utf8: [0x22, 0xFF, 0x22]) }
        #expect(problem?.description == "1:1: the file is no UTF-8 text; save it as UTF-8")
    }
}
