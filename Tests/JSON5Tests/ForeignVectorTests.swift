import JSON5
import TestSupport
import Testing

@Suite("Documents of other projects' test suites")
struct ForeignVectorTests {
    private func isRead(_ vector: ForeignVector) -> Bool {
        guard let text = String(validating: vector.bytes, as: UTF8.self) else { return false }
        return (try? JSON5Parser.parse(text)) != nil
    }

    @Test("are all there")
    func complete() {
        #expect(ForeignVector.json("json5.txt").count == 111)
        #expect(ForeignVector.json("parsing.txt").count == 315)
    }

    @Test("of JSON5 are read or refused as they say", arguments: ForeignVector.json("json5.txt"))
    func json5(vector: ForeignVector) {
        // Stricter than the standard, as the parser's documentation says: of two members of one name, one is a mistake.
        let isTaken = vector.verdict == .taken && vector.name != "duplicate-keys"
        #expect(isRead(vector) == isTaken)
    }

    @Test("of JSON are read where they must be: JSON5 holds all of JSON", arguments: ForeignVector.json("parsing.txt"))
    func json(vector: ForeignVector) {
        let isRead = isRead(vector)
        if vector.verdict == .taken { #expect(isRead == !vector.name.hasPrefix("object_duplicated_key")) }
    }
}
