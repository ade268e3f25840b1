import JSON5
import Testing

@Suite("JSON5 object reader")
struct JSON5ObjectTests {
    private func object(_ text: String) throws -> JSON5Object {
        try #require(JSON5Object(try JSON5Parser.parse(text), as: "the test", problems: JSON5Problems()))
    }

    @Test("suggests the name that was meant for one it does not know")
    func unknownName() throws {
        var object = try object("{\n  abvoe: 3}")
        _ = object.number("above")
        _ = object.number("below")
        object.refuseUnknown()
        #expect(
            object.problems.all.map { $0.description(file: "r.json5") } == [
                #"r.json5:2:3: "abvoe" is not known here; did you mean "above"?"#
            ])
    }

    @Test("notes every wrong member with its place and goes on")
    func wrongMembers() throws {
        var object = try object(#"{a: "x", b: 1.5, c: 3, d: "hihg", e: [1]}"#)
        #expect(object.number("a") == nil)
        #expect(object.integer("b", in: 0...10) == nil)
        #expect(object.integer("c", in: 0...10) == 3)
        #expect(object.choice("d", of: ["low", "high"]) == nil)
        #expect(object.strings("e") == [])
        object.require("f")
        object.refuseUnknown()
        #expect(object.problems.all.count == 5)
        #expect(object.problems.all[2].suggestion == #"did you mean "high"?"#)
    }
}
