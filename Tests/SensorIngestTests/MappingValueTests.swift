import Testing
import VigilSchema

@testable import SensorIngest

@Suite("Mapped values")
struct MappingValueTests {
    private func read(_ format: MappingFormat, _ text: String, columns: [String] = [], separator: Character = ",") throws -> MappingValue {
        try format.read(Array(text.utf8), columns: columns, separator: separator)
    }

    @Test(
        "are numbers where a number, a truth or a text of digits stands",
        arguments: [
            (MappingValue.number(1.5), 1.5), (.boolean(true), 1), (.boolean(false), 0), (.string("61"), 61), (.string("-6.5e1"), -65),
        ] as [(MappingValue, Double)])
    func number(value: MappingValue, expected: Double) {
        #expect(value.number == expected)
    }

    @Test("are none elsewhere", arguments: [MappingValue.null, .string("6 1"), .string(""), .string("x"), .array([]), .object([])])
    func noNumber(value: MappingValue) {
        #expect(value.number == nil)
    }

    @Test(
        "write whole numbers without a point up to fifteen digits",
        arguments: [
            (61.0, "61"), (-3, "-3"), (0, "0"), (0.5, "0.5"), (999_999_999_999_999, "999999999999999"),
            (-999_999_999_999_999, "-999999999999999"), (1e15, "1000000000000000.0"), (-1e15, "-1000000000000000.0"),
        ])
    func text(number: Double, expected: String) {
        #expect(MappingValue.number(number).text == expected)
    }

    @Test(
        "tell a number from the unit behind it",
        arguments: [
            ("36.6 °C", 36.6, "°C"), ("98%", 98, "%"), ("-1.5kg", -1.5, "kg"), ("+2 mmol/L", 2, "mmol/L"), ("61   bpm", 61, "bpm"),
            ("5µV", 5, "µV"), ("5 μV", 5, "μV"), ("7 {steps}", 7, "{steps}"), ("61/min", 61, "/min"), ("61", 61, ""), ("3 ºC", 3, "ºC"),
        ])
    func measure(text: String, number: Double, unit: String) {
        let measure = MappingValue.string(text).measure
        #expect(measure?.number == number && measure?.unit == unit)
    }

    @Test(
        "are no measure where no unit follows or no number leads",
        arguments: ["121/79", "a 36", "36 6", "36,6", "1-2 kg", "kg", "", "²5 kg"])
    func noMeasure(text: String) {
        #expect(MappingValue.string(text).measure == nil)
    }

    @Test(
        "are a byte for each pair of hexadecimal digits, blanks between them or not",
        arguments: [("8438", [0x84, 0x38]), ("84 38\n", [0x84, 0x38]), ("fF0a", [255, 10]), ("00", [0]), ("10 01", [16, 1])])
    func hexadecimal(text: String, bytes: [Int]) throws {
        #expect(try read(.hex, text) == .array(bytes.map { .number(Double($0)) }))
    }

    @Test("are refused where digits are odd, missing or none", arguments: ["843", "", " ", "8g", "84!38", "84-38"])
    func noHexadecimal(text: String) {
        let error = #expect(throws: PayloadError.self) { try read(.hex, text) }
        #expect(error == PayloadError(.malformed, "pairs of hexadecimal digits are expected", offset: 0))
    }

    @Test(
        "are a text without the blanks and the quotes around it",
        arguments: [
            ("36.6 °C", "36.6 °C"), (" \n36.6\t", "36.6"), ("\"61\"", "61"), ("\"", "\""), ("\"\"", ""), ("\"a", "\"a"), ("a\"", "a\""),
            ("", ""),
        ])
    func plain(text: String, expected: String) throws {
        #expect(try read(.plain, text) == .string(expected))
    }

    @Test("are bytes as they are in a binary payload")
    func binary() throws {
        let value = try MappingFormat.binary.read([0, 1, 255], columns: [], separator: ",")
        #expect(value == .array([.number(0), .number(1), .number(255)]))
    }

    @Test("are a line's fields by place, or by the names of the columns, an empty field being nothing")
    func table() throws {
        #expect(
            try read(.csv, "1, ,x\n\n2;3\r\n")
                == .array([
                    .array([.string("1"), .null, .string("x")]), .array([.string("2;3")]),
                ]))
        #expect(try read(.csv, "1;\t 2 ;3", separator: ";") == .array([.array([.string("1"), .string("2"), .string("3")])]))
        func object(_ members: [(MappingKey, MappingValue)]) -> MappingValue {
            .object(members.map { MappingValue.Member(key: $0.0, value: $0.1) })
        }
        #expect(
            try read(.csv, "1,2,3\n4", columns: ["a", "b"])
                == .array([
                    object([("a", .string("1")), ("b", .string("2"))]), object([("a", .string("4"))]),
                ]))
    }

    @Test("are ten thousand lines at most: more are refused, and none is left out in silence")
    func lines() throws {
        guard case .array(let lines) = try read(.csv, String(repeating: "1\n", count: 10_000)) else {
            Issue.record("no lines"); return
        }
        #expect(lines.count == 10_000)
        let error = #expect(throws: PayloadError.self) { try read(.csv, String(repeating: "1\n", count: 10_001)) }
        #expect(error == PayloadError(.tooLarge, "more than 10000 lines in one message"))
    }

    @Test("tell a beginner that Python's way to print a dictionary is no JSON", arguments: ["{'a': 1}", "[{'a': 1}]"])
    func python(text: String) {
        let error = #expect(throws: PayloadError.self) { try read(.json, text) }
        #expect(
            error == PayloadError(.malformed, "this is how Python prints a dictionary, and no JSON: publish json.dumps(…) of it", offset: 1)
        )
    }

    @Test("refuse JSON otherwise as everywhere", arguments: ["{a': 1}", "[1,", "", "{\"a\":1}x", "['a']"])
    func noJSON(text: String) {
        let error = #expect(throws: PayloadError.self) { try read(.json, text) }
        #expect(error?.reason.contains("Python") == false)
    }

    @Test("find an object's member by its key, and only the one of that name")
    func members() throws {
        let value = try read(.json, #"{"heart_rate":1,"heart_rate_2":2,"heart_ra":3,"\u0068r":4,"":5,"nul":null}"#)
        #expect(value["heart_rate"] == .number(1) && value["heart_rate_2"] == .number(2) && value["heart_ra"] == .number(3))
        #expect(value["hr"] == .number(4) && value[""] == .number(5) && value["nul"] == .null)
        #expect(value["heart_rat"] == nil && value["heart_rate_3"] == nil && value["h"] == nil)
        #expect(MappingValue.array([value])["hr"] == nil && value[0] == nil)
    }

    @Test("refuse a key that is given twice, at its place, also where one of them is written with escapes")
    func twice() {
        let error = #expect(throws: PayloadError.self) { try read(.json, #"{"hr":1,"x":2,"hr":3}"#) }
        #expect(error?.code == .conflicting && error?.offset == 14, "\(String(describing: error))")
        let escaped = #expect(throws: PayloadError.self) { try read(.json, #"{"hr":1,"\u0068r":3}"#) }
        #expect(escaped?.code == .conflicting && escaped?.offset == 8, "\(String(describing: escaped))")
    }

    @Test("hold a thousand keys and 32 levels, and no more")
    func bounds() throws {
        func object(_ count: Int) -> String { "{" + (0..<count).map { "\"k\($0)\":1" }.joined(separator: ",") + "}" }
        guard case .object(let members) = try read(.json, object(1000)) else { Issue.record("no object"); return }
        #expect(members.count == 1000)
        let many = #expect(throws: PayloadError.self) { try read(.json, object(1001)) }
        #expect(many?.code == .tooLarge && many?.reason == "more than 1000 keys in one object")
        func nested(_ levels: Int) -> String { String(repeating: "[", count: levels) + String(repeating: "]", count: levels) }
        _ = try read(.json, nested(32))
        let deep = #expect(throws: PayloadError.self) { try read(.json, nested(33)) }
        #expect(deep?.code == .tooLarge && deep?.offset == 32)
        let inner = #expect(throws: PayloadError.self) {
            try read(.json, String(repeating: "{\"a\":", count: 33) + "1" + String(repeating: "}", count: 33))
        }
        #expect(inner?.code == .tooLarge)
    }

    @Test("read the literals and numbers of JSON")
    func literals() throws {
        #expect(
            try read(.json, "[null,true,false,-1.5e1,0,\"ä\",[],{}]")
                == .array([
                    .null, .boolean(true), .boolean(false), .number(-15), .number(0), .string("ä"), .array([]), .object([]),
                ]))
    }
}
