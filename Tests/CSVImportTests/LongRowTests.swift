import Testing
import VigilSchema

@testable import CSVImport

@Suite("rows that name their metric, and what is said of them")
struct LongRowTests {
    private func profile(_ change: (inout Profile) -> Void = { _ in }) -> Profile {
        var profile = Profile(
            name: "own", title: "own", time: TimeRule(columns: [["time"]], formats: [.unix(unit: 1_000_000)]),
            participant: NameRule(constant: "p"), source: NameRule(constant: "s"))
        change(&profile)
        return profile
    }

    private func decode(_ lines: [String], _ change: (inout Profile) -> Void = { _ in }) throws -> Decoded {
        try Decoded(lines.joined(separator: "\n") + "\n", profile: profile(change))
    }

    private func long(_ lines: [String]) throws -> Decoded {
        try decode(lines) {
            $0.layout = .long
            ($0.long.metric, $0.long.value, $0.long.samples, $0.long.period) = (["what"], ["value"], ["samples"], ["period"])
        }
    }

    // MARK: Intervals and samples

    @Test("an interval lasts a second at least")
    func shortest() throws {
        let decoded = try long(["time,what,value,period", "1,hr,60,1", "2,hr,60,0.9"])
        #expect(decoded.rows.map(\.interval) == [1, 0])
    }

    @Test("each row has its own samples")
    func samples() throws {
        let decoded = try long(["time,what,value,samples,period", "1,ecg,,1 2,1", "2,ecg,,3 4,2", "3,ecg,,5 6,3"])
        #expect(decoded.rows.map(\.samples) == [[1, 2], [3, 4], [5, 6]] && decoded.rows.map(\.period) == [1, 2, 3])
        #expect(decoded.account.accepted == 3)
    }

    // MARK: Counts

    @Test("a line that is no record counts as one cell of a long table, and as all its cells of another; so does one that is left out")
    func counted() throws {
        let rows = try long(["time,what,value,samples,period", "1,hr,\"6\"0,,", "time,what,value,samples,period", "2,hr,61,,"])
        #expect(rows.rejects.map(\.cells) == [1] && rows.account.rejected == 1 && rows.account.ignored == 1)
        let table = try decode(["time,pulse,spo2", "1,\"6\"0,97", "time,pulse,spo2", "2,61,98"])
        #expect(table.rejects.map(\.cells) == [2] && table.account.rejected == 2 && table.account.ignored == 2)
        #expect(table.rejects.map(\.column) == [1] && table.rejects.map(\.offset) == [16])
    }

    // MARK: Notes and reasons

    @Test("notes tell of one time that a clock showed twice and of one line that was left out, and of nothing where there was none")
    func notes() throws {
        let berlin = { (profile: inout Profile) in
            profile.time = TimeRule(columns: [["time"]], formats: [.pattern("yyyy-MM-dd HH:mm")], zone: "Europe/Berlin")
        }
        #expect(try decode(["time,pulse,spo2", "2023-10-29 04:30,60,97"], berlin).notes == [])
        #expect(
            try decode(["time,pulse,spo2", "2023-10-29 02:30,60,97"], berlin).notes == [
                "1 times lie in the hour that the clocks showed twice; the file's order decided which was meant"
            ])
        #expect(
            try decode(["time,pulse,spo2", "2023-10-29 04:30,60,97", "----,,"], berlin).notes == [
                "1 lines that repeat the header or separate parts were left out"
            ])
    }

    @Test("a time before 1900 is refused, and before 1973 where nobody says that its number counts from 1970")
    func early() throws {
        let named = try decode(["time,pulse", "-2208988800,60", "-2208988801,61"])
        #expect(named.rows.map(\.value) == [60] && named.rejects.map(\.reason) == ["the time lies in the future or before 1900"])
        let found = try decode(["time,pulse", "100000000,60", "99999999,61"]) { $0.time.isFoundCount = true }
        #expect(found.rows.map(\.value) == [60] && found.rejects.map(\.reason) == ["the time lies in the future or before 1973"])
    }

    @Test("a text in a table of two columns is no title but a refused row, as is one with a number in a table of more")
    func titles() throws {
        #expect(try decode(["time,pulse", "Part two", "1,60"]).rejects.map(\.line) == [2])
        #expect(try decode(["time,pulse,spo2", "Part two", "1,60,97"]).rejects.isEmpty)
    }

    // MARK: Vigil's own export

    private func own(_ rows: [String]) throws -> Decoded {
        try Decoded((["participant-id,time,metric,value,unit,source,session-id,period,received"] + rows).joined(separator: "\n") + "\n")
    }

    @Test("Vigil's own names of up to 256 bytes come back")
    func ownNames() throws {
        let name = String(repeating: "n", count: 256)
        let decoded = try own([
            "p,1,heart-rate,60,/min,\(name),,,", "p,2,heart-rate,60,/min,\(name)n,,,", "p,3,heart-rate,60,/min,s,\(name),,",
            "p,4,heart-rate,60,/min,s,\(name)n,,",
        ])
        #expect(decoded.rows.map(\.time) == [1, 3] && decoded.rejects.map(\.line) == [3, 5])
        #expect(decoded.rejects.allSatisfy { $0.reason == "the source or the session is longer than 256 bytes" })
    }

    @Test("Vigil's own times of receipt come back, but none that lies ahead; a row without one was received now")
    func received() throws {
        let now = Decoded.now.seconds
        let decoded = try own([
            "p,1,heart-rate,60,/min,s,,,\((now - 1).short)", "p,2,heart-rate,60,/min,s,,,\((now + 1).short)", "p,3,heart-rate,60,/min,s,,,",
        ])
        #expect(Dictionary(uniqueKeysWithValues: decoded.rows.map { ($0.time, $0.received?.seconds) }) == [1: now - 1, 2: now, 3: now])
        #expect(decoded.account.accepted == 3)
    }

    @Test("Vigil's own intervals come back, from a second to the longest")
    func ownIntervals() throws {
        let longest = Observation.longestInterval
        let periods = ["1", "0.9", "\(longest)", "\(longest + 1)", "x"]
        let decoded = try own(periods.enumerated().map { "p,\($0),steps,60,{steps},s,,\($1)," })
        #expect(decoded.rows.map(\.interval) == [1, 0, longest, 0, 0])
    }

    // MARK: Long records

    /// What stands in a text: each record's line, its fields' lengths and what is wrong with it.
    private func read(_ text: String) throws -> [String] {
        var reader = CSVReader(MemorySource(Array(text.utf8)))
        var found: [String] = []
        while true {
            switch try reader.next() {
            case .record: found.append("\(reader.line): \(reader.texts().map(\.utf8.count))")
            case .malformed(let malformation): found.append("\(malformation)")
            case .end: return found
            }
        }
    }

    @Test("a record of almost 4 MiB is read, and a quote that is never closed costs no more than its line")
    func longRecords() throws {
        let long = String(repeating: "x", count: 3_900_000), tooLong = String(repeating: "x", count: 4_500_000)
        #expect(try read("a,\"\(long)\"\nb,c\n") == ["1: [1, 3900000]", "2: [1, 1]"])
        #expect(try read("a,\"\(tooLong)\nb,c\nd,e\n") == ["tooLong", "2: [1, 1]", "3: [1, 1]"])
    }
}
