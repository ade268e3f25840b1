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

    /// The line breaks of a text, CRLF being one.
    private static func breaks(_ text: some Sequence<UInt8>) -> Int {
        var (count, last) = (0, UInt8(0))
        for byte in text {
            if byte == 0x0D || byte == 0x0A && last != 0x0D { count += 1 }
            last = byte
        }
        return count
    }

    @Test(
        "tells of every record and every line that is none the line and the byte at which it starts, wherever a read cuts it",
        arguments: [1, 2, 5, 1000])
    func places(largestRead: Int) throws {
        var random = SystemRandomNumberGenerator()
        let pieces = ["a", "bc", ",", "\"", "\"", "\n", "\r\n", "\r", "ä", "\"x\ny\""]
        for _ in 0..<2000 {
            let text = (0..<Int.random(in: 1...30, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
            let bytes = Array(text.utf8)
            var reader = CSVReader(MemorySource(bytes, largestRead: largestRead), offset: 100, line: 10, capacity: 16)
            while case let event = try reader.next(), event != .end {
                let start = reader.recordOffset - 100
                let original = Array(reader.originalRecord().utf8)
                guard bytes.indices.contains(start), reader.line == 11 + Self.breaks(bytes[..<start]),
                    Array(bytes[start...].prefix(original.count)) == original
                else {
                    Issue.record("\(text.debugDescription): line \(reader.line), byte \(start), \(event)")
                    return
                }
                guard event == .record else { continue }
                for index in 0..<reader.fieldCount {
                    let place = Int(reader.field(index).start), offset = reader.offset(of: place) - 100
                    let position = reader.position(of: place)
                    let lineStart = (bytes[..<offset].lastIndex { $0 == 0x0A || $0 == 0x0D } ?? -1) + 1
                    let column = 1 + String(decoding: bytes[lineStart..<offset], as: UTF8.self).unicodeScalars.count
                    guard position.line == 11 + Self.breaks(bytes[..<offset]), position.column == column else {
                        Issue.record("\(text.debugDescription): field \(index) at \(position)")
                        return
                    }
                }
            }
        }
    }

    @Test("has room for any number of fields", arguments: [63, 64, 65, 200, 1000])
    func fields(count: Int) throws {
        let row = (0..<count).map { "\($0)" }
        #expect(try records(row.joined(separator: ",") + "\nx,y\n") == [row, ["x", "y"]])
    }
}
