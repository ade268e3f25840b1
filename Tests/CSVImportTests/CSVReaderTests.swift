import Testing

@testable import CSVImport

@Suite("CSV reader")
struct CSVReaderTests {
    private func records(_ text: String, dialect: CSVDialect = .standard, largestRead: Int = .max) throws -> [[String]] {
        var reader = CSVReader(MemorySource(Array(text.utf8), largestRead: largestRead), dialect: dialect, capacity: 16)
        var records: [[String]] = []
        while true {
            switch try reader.next() {
            case .record: records.append(reader.texts())
            case .malformed(let malformation): records.append(["!" + malformation.reason.prefix(4)])
            case .end: return records
            }
        }
    }

    @Test(
        "splits records as RFC 4180 says, wherever a read cuts them",
        arguments: [
            ("a,b\nc,d\n", [["a", "b"], ["c", "d"]]), ("a,b\r\nc,d", [["a", "b"], ["c", "d"]]), ("a\rb\r\n\r\nc", [["a"], ["b"], ["c"]]),
            ("\"a,\"\"b\"\"\",c\n", [["a,\"b\"", "c"]]), ("\"two\r\nlines\",x\n", [["two\r\nlines", "x"]]), (",,\n", [["", "", ""]]),
            ("a\"b,c\n", [["a\"b", "c"]]), ("\"\",\"\"\n", [["", ""]]), ("\"a\"", [["a"]]), ("a,", [["a", ""]]), ("\"\"\"\"", [["\""]]),
        ])
    func splits(text: String, expected: [[String]]) throws {
        for largestRead in [1, 2, 3, 7, 1000] {
            #expect(try records(text, largestRead: largestRead) == expected, "reading \(largestRead) bytes at a time")
        }
    }

    @Test("reports what breaks the quoting and goes on after the line, wherever a read cuts it", arguments: [1, 2, 3, 7, 1000])
    func malformed(_ largestRead: Int) throws {
        let rest = "y,1,a longer rest of the line than the buffer has room for"
        #expect(try records("a,b\n\"x\"\(rest)\nc,d\n", largestRead: largestRead) == [["a", "b"], ["!text"], ["c", "d"]])
        #expect(try records("a,b\r\n\"x\"\(rest)\r\nc,d\r\n", largestRead: largestRead) == [["a", "b"], ["!text"], ["c", "d"]])
        #expect(try records("a,b\n\"x,1\nc,d\n", largestRead: largestRead) == [["a", "b"], ["!a qu"], ["c", "d"]])
    }

    @Test("tells line, column and byte offset of a field, in the file's own encoding")
    func positions() throws {
        let text = "h\n\"ä\nb\",über,5\n"
        var reader = CSVReader(MemorySource(Array(text.utf8), largestRead: 3), capacity: 16)
        _ = try reader.next()
        _ = try reader.next()
        let place = Int(reader.field(2).start)
        let position = reader.position(of: place)
        #expect(position == (3, 9))
        #expect(reader.offset(of: place) == text.utf8.count - 2)
        var latin = CSVReader(MemorySource(Array(text.utf8)), dialect: CSVDialect(encoding: .latin1))
        _ = try latin.next()
        _ = try latin.next()
        #expect(latin.offset(of: Int(latin.field(2).start)) == text.unicodeScalars.count - 2)
    }

    @Test("grows its buffer for a record that is longer")
    func longRecord() throws {
        let long = String(repeating: "x", count: 100_000)
        #expect(try records("a,\"\(long)\"\nb,c\n", largestRead: 1000) == [["a", long], ["b", "c"]])
    }
}
