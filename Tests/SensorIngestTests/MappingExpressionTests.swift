import Testing
import VigilSchema

@testable import SensorIngest

@Suite("Mapping expressions")
struct MappingExpressionTests {
    private static let message = #"{"g":4,"deep":{"m":40},"record":null}"#
    private static let record =
        #"{"a":6,"b":2,"c":"3","n":null,"t":true,"f":false,"s":"word","body fat":21,"o":{"x":7,"y-z":8,"l":[10,20,30]},"l":[1,2,[4,5]],"_u1":9}"#

    private func scope(key: String? = nil) throws -> MappingExpression.Scope {
        var topic = TopicNames(topic: "home/bath/scale/x", filter: MappingTopic("home/{room}/scale/#"))
        topic.key = key
        return MappingExpression.Scope(
            message: try MappingValue(json: Array(Self.message.utf8).span), record: try MappingValue(json: Array(Self.record.utf8).span),
            topic: topic)
    }

    @Test(
        "find a place in the record, the message or the topic",
        arguments: [
            ("a", "6"), ("o.x", "7"), ("o.y-z", "8"), ("body fat", "21"), (#"["body fat"]"#, "21"), ("['body fat']", "21"),
            (#"o["y-z"]"#, "8"), (#"["a"]"#, "6"), ("_u1", "9"), ("c", "3"), ("t", "true"), ("f", "false"), ("s", "word"),
            ("o.l[0]", "10"), ("o.l[2]", "30"), ("o.l[-1]", "30"), ("o.l[-3]", "10"), ("l[2][1]", "5"), ("l[1]", "2"),
            ("$.g", "4"), ("$.deep.m", "40"), (#"$["g"]"#, "4"),
            ("@room", "bath"), ("@last", "x"), ("@0", "home"), ("@1", "bath"), ("@3", "x"),
        ])
    func place(text: String, expected: String) throws {
        #expect(try MappingExpression(text).value(in: scope())?.text == expected)
    }

    @Test(
        "find nothing where nothing is",
        arguments: [
            "n", "z", "o.z", "a.x", "a[0]", "o.l[3]", "o.l[-4]", "o[0]", "$.a", "$.record", "@4", "@-1", "@nobody", "@key", "x.y.z",
        ])
    func nothing(text: String) throws {
        #expect(try MappingExpression(text).value(in: scope()) == nil)
    }

    @Test(
        "reckon as on paper: powers before products before sums, each from the left",
        arguments: [
            ("= a + b", 8.0), ("= a - b", 4), ("= a * b", 12), ("= a / b", 3), ("= a - b - 1", 3), ("= a - b + 1", 5),
            ("= a / b / 3", 1), ("= a / b * 3", 9), ("= a + b * 2", 10), ("= a * 2 + b", 14), ("= (a + b) * 2", 16),
            ("= a * (b + 1)", 18), ("= 2 ^ 3", 8), ("= 3 ^ 2", 9), ("= b * 3 ^ 2", 18), ("= 2 ^ -1", 0.5), ("= -a + 1", -5),
            ("= -(a - 1)", -5), ("= --a", 6), ("= 1 - -1", 2), ("= c + 1", 4), ("= t + 1", 2), ("= f + 1", 1), ("= 1.5 * 2", 3),
            ("=a+b", 8), ("=  ( a  + b )  ", 8), (#"= $.g + ["body fat"]"#, 25), ("= l[1] * 256 + l[0]", 513), ("= o.x + $.deep.m", 47),
            ("= 10", 10), ("= ((((7))))", 7), ("= _u1", 9),
        ])
    func arithmetic(text: String, expected: Double) throws {
        #expect(try MappingExpression(text).value(in: scope()) == .number(expected))
    }

    @Test(
        "have no result where a part is missing or no number, or where none is finite",
        arguments: [
            "= a / 0", "= 0 / 0", "= z + 1", "= 1 + z", "= o + 1", "= s + 1", "= n * 1", "= (0 - 1) ^ 0.5", "= 10 ^ 400",
        ])
    func noResult(text: String) throws {
        #expect(try MappingExpression(text).value(in: scope()) == nil)
    }

    @Test(
        "are refused with the reason",
        arguments: [
            ("= 1 +", "a number or a path is expected"), ("=", "a number or a path is expected"),
            ("= (1", "a closing parenthesis is missing"), ("= (1 2)", "a closing parenthesis is missing"),
            ("= a b", "\"b\" is not expected here"), ("= 2 ^ 3 ^ 2", "\"^ 2\" is not expected here"), ("$a", "\"a\" is not expected here"),
            (#"["x"]y"#, "\"y\" is not expected here"), ("a[", "a closing bracket is missing"),
            ("a[x]", "brackets hold a number or a key in quotes"), (#"a['x"]"#, "brackets hold a number or a key in quotes"),
            (#"a[""]"#, "brackets hold a number or a key in quotes"), (#"a["x]"#, "brackets hold a number or a key in quotes"),
            ("a[]", "brackets hold a number or a key in quotes"), ("a[xx]", "brackets hold a number or a key in quotes"),
            ("axxx[xbbx]", "brackets hold a number or a key in quotes"),
            ("@", "a level's name is expected after @"), ("= @", "a level's name is expected after @"), ("a..b", "a key is expected"),
            ("a.", "a key is expected"), (".a", "a key is expected"), ("= 1.2.3", "\"1.2.3\" is no number"),
            ("= a.-", "a key is expected"),
        ])
    func refused(text: String, reason: String) {
        let error = #expect(throws: MappingExpression.Malformed.self) { try MappingExpression(text) }
        #expect(error?.reason == reason)
    }

    @Test("nest 31 parentheses or signs around a number, and no more", arguments: ["(", "-"])
    func depth(mark: String) throws {
        func nested(_ count: Int) -> String {
            "= " + String(repeating: mark, count: count) + "1" + (mark == "(" ? String(repeating: ")", count: count) : "")
        }
        #expect(try MappingExpression(nested(31)).value(in: scope())?.number?.magnitude == 1)
        let error = #expect(throws: MappingExpression.Malformed.self) { try MappingExpression(nested(32)) }
        #expect(error?.reason == "it is nested too deep")
    }

    @Test(
        "say which first keys they read of the record, and which of the message",
        arguments: [
            ("a", ["a"], []), ("a.b", ["a"], []), (#"["a b"].c"#, ["a b"], []), ("$.a.b", [], ["a"]), ("= a + $.b * c", ["a", "c"], ["b"]),
            ("[0].a", [], []), ("@a", [], []), ("= 2 + 3", [], []), (".", [], []), ("$", [], []),
        ] as [(String, [String], [String])])
    func keys(text: String, ofRecord: [String], ofMessage: [String]) throws {
        let expression = try MappingExpression(text)
        #expect(expression.keys(of: .record) == Set(ofRecord))
        #expect(expression.keys(of: .message) == Set(ofMessage))
    }

    @Test("take the whole record for a dot, the whole message for a dollar, and the member's name for @key where there is one")
    func wholes() throws {
        let plain = try scope()
        #expect(try MappingExpression(".").value(in: plain) == plain.record)
        #expect(try MappingExpression("$").value(in: plain) == plain.message)
        #expect(try MappingExpression("@key").value(in: scope(key: "left")) == .string("left"))
        #expect(try MappingExpression("@room").value(in: scope(key: "left")) == .string("bath"))
        #expect(
            try MappingExpression("@room").value(in: MappingExpression.Scope(message: .null, record: .null, topic: nil)) == nil)
    }

    @Test("end in an object's members after a star, and hold them at the place before it")
    func members() throws {
        #expect(try MappingExpression("*").holderOfMembers == .path(.record, []))
        #expect(try MappingExpression("$.a.*").holderOfMembers == .path(.message, [.key("a")]))
        #expect(try MappingExpression("a").holderOfMembers == nil)
        #expect(try MappingExpression("a.b").holderOfMembers == nil)
        #expect(try MappingExpression("*.a").holderOfMembers == nil)
    }
}
