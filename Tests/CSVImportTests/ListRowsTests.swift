import Testing

@testable import CSVImport

/// A row a list, as Withings' `raw_….csv` have them.
@Suite("Lists of durations and of values")
struct ListRowsTests {
    /// 2024-06-07T07:22:00Z.
    private static let start = 1_717_744_920.0

    private func decode(_ rows: [String]) throws -> Decoded {
        let text = (["start,duration,value"] + rows).joined(separator: "\n") + "\n"
        return try #require(try Decoded.all(text, name: "raw_hr_hr.csv", options: .ofParticipant()).first)
    }

    @Test("values follow each other, each over its duration, of parts of a second too")
    func follow() throws {
        let decoded = try decode(["2024-06-07T07:22:00Z,\"[1.5,0,2.25,0.75]\",\"[61,62.5,63,64]\""])
        #expect(decoded.values("heart-rate") == [61, 62.5, 63, 64] && decoded.rejects.isEmpty)
        #expect(decoded.rows.map { $0.time - Self.start } == [0, 1.5, 1.5, 3.75])
        #expect(decoded.rows.map(\.interval) == [2, 0, 2, 1] && decoded.rows.map(\.sequence) == [0, 0, 1, 0])
    }

    @Test("a list may be of any length")
    func long() throws {
        let count = 20_000
        let durations = Array(repeating: "1", count: count).joined(separator: ","), values = (0..<count).map { "\($0 % 50 + 50)" }
        let decoded = try decode(["2024-06-07T07:22:00Z,\"[\(durations)]\",\"[\(values.joined(separator: ","))]\""])
        #expect(decoded.rows.count == count && decoded.values("heart-rate") == (0..<count).map { Double($0 % 50 + 50) })
        #expect(decoded.rows.map { $0.time - Self.start } == (0..<count).map(Double.init))
    }

    @Test(
        "a row whose lists are none, or do not agree, is refused alone",
        arguments: [
            ("2024-06-07T07:22:00Z,[86400],[61]", 1), ("2024-06-07T07:22:00Z,[86400.5],[61]", 0), ("2024-06-07T07:22:00Z,[-1],[61]", 0),
            ("2024-06-07T07:22:00Z,[0],[61]", 1), ("2024-06-07T07:22:00Z,[x],[61]", 0), ("2024-06-07T07:22:00Z,[],[61]", 0),
            ("2024-06-07T07:22:00Z,[60],[x]", 0), ("2024-06-07T07:22:00Z,[60],\"[61,62]\"", 0), ("2024-06-07T07:22:00Z,[60]", 0),
            ("2024-06-07T07:22:00Z,[60],[61],70", 0), ("2024-06-07T07:22:00Z,x,61", 0), ("2024-06-07T07:22:00Z,90000,61", 0),
            ("2024-06-07T07:22:00Z,60,61", 1), ("yesterday,[60],[61]", 0), ("2024-06-07T07:22:00Z,\"[60]\"x,[61]", 0),
        ])
    func refused(row: String, count: Int) throws {
        let decoded = try decode(["2024-06-07T07:21:00Z,[60],[60]", row, "2024-06-09T07:22:00Z,[60],[62]"])
        #expect(decoded.rows.count == 2 + count && decoded.rejects.count == 1 - count, "\(decoded.rejects.map(\.reason))")
        #expect(decoded.values("heart-rate").first == 60 && decoded.values("heart-rate").last == 62)
    }

    @Test(
        "a time is written to the microsecond, with its offset where it has one",
        arguments: [
            (0, nil, "1970-01-01T00:00:00.000000"), (-1, nil, "1969-12-31T23:59:59.999999"),
            (86_399_000_001, nil, "1970-01-01T23:59:59.000001"),
            (86_400_000_000, nil, "1970-01-02T00:00:00.000000"), (36_610_100_000, nil, "1970-01-01T10:10:10.100000"),
            (32_949_000_000, nil, "1970-01-01T09:09:09.000000"), (1_711_360_800_123_456, 0, "2024-03-25T10:00:00.123456+00:00"),
            (0, 330, "1970-01-01T05:30:00.000000+05:30"), (0, -210, "1969-12-31T20:30:00.000000-03:30"),
            (0, 600, "1970-01-01T10:00:00.000000+10:00"), (-36_000_000_000, 609, "1970-01-01T00:09:00.000000+10:09"),
            (0, -1, "1969-12-31T23:59:00.000000-00:01"),
        ] as [(Int64, Int16?, String)])
    func times(microseconds: Int64, zone: Int16?, text: String) {
        #expect(ListRowsSource.text(microseconds, zone ?? ParsedTime.noZone) == text)
    }
}
