import Testing
import VigilSchema

@testable import CSVImport

@Suite("rows that end before their header")
struct ShortRowTests {
    private func decode(_ lines: [String], _ change: (inout Profile) -> Void = { _ in }) throws -> Decoded {
        var profile = Profile(
            name: "own", title: "own", time: TimeRule(columns: [["time"]], formats: [.unix(unit: 1_000_000)]),
            participant: NameRule(column: ["who"], constant: "p"), source: NameRule(column: ["device"], constant: "s"))
        profile.session = NameRule(column: ["session"])
        profile.columns = [ColumnRule(["hr"], metric: "heart-rate")]
        profile.allowsShortRows = true
        change(&profile)
        return try Decoded(lines.joined(separator: "\n") + "\n", profile: profile)
    }

    private func long(_ lines: [String]) throws -> Decoded {
        try decode(lines) {
            $0.layout = .long
            ($0.long.metric, $0.long.value, $0.long.unit, $0.long.text) = (["what"], ["value"], ["unit"], ["text"])
            ($0.long.samples, $0.long.period, $0.long.sequence, $0.long.zone) = (["samples"], ["period"], ["n"], ["minutes"])
        }
    }

    private func subjects(_ decoded: Decoded) -> [String] {
        decoded.rows.map { "\($0.participant) \($0.source) \($0.session ?? "-")" }
    }

    // MARK: Names

    @Test(
        "have the names of their file, and the next whole row has its own again",
        arguments: [
            ("who", ["a s -", "p s -", "a s -"]), ("device", ["p a -", "p s -", "p a -"]), ("session", ["p s a", "p s -", "p s a"]),
        ])
    func names(column: String, expected: [String]) throws {
        #expect(subjects(try decode(["time,hr,\(column)", "1,60,a", "2,61", "3,62,a"])) == expected)
    }

    @Test("that have one of their names leave the next row's others alone")
    func partlyNamed() throws {
        let decoded = try decode(["time,hr,session,who,device", "1,60,m,a,x", "2,61,m,b", "3,62,m,b,x", "4,63,n", "5,64,n,b,x"])
        #expect(subjects(decoded) == ["a x m", "b s m", "b x m", "p s n", "b x n"])
    }

    // MARK: What stands behind a row's end

    @Test("have nothing of the row before them: no value, no unit, no end and no zone")
    func nothingOfOthers() throws {
        let values = try decode(["time,hr,spo2", "1,60,97", "2,61"])
        #expect(values.rows.map(\.value) == [60, 97, 61] && values.account.empty == 1)
        let units = try decode(["time,weight,u", "1,150,lb", "2,70"]) {
            $0.columns = [ColumnRule(["weight"], metric: "body-weight", unit: "kg", unitColumn: ["u"]), ColumnRule(["u"], kind: .ignore)]
        }
        #expect(units.values("body-weight").map { $0.rounded() } == [68, 70])
        let ends = try decode(["time,hr,until", "10,60,20", "11,61"]) { $0.time.ends = ["until"] }
        #expect(ends.rows.map(\.interval) == [10, 0])
        let zones = try decode(["time,hr,zone", "86400,60,+02:00", "86401,61"]) {
            $0.time.zoneColumn = ["zone"]
            $0.time.isUTC = true
        }
        #expect(zones.rows.map(\.zone) == [120, nil])
        let named = try decode(["time,hr,zone", "1970-01-02 00:00,60,Asia/Tokyo", "1970-01-02 00:00,61"]) {
            $0.time = TimeRule(columns: [["time"]], formats: [.pattern("yyyy-MM-dd HH:mm")], zone: "UTC", zoneColumn: ["zone"])
        }
        #expect(named.rows.map { $0.time / 3600 } == [15, 24])
    }

    @Test("count only where they say that they do")
    func filtered() throws {
        let decoded = try decode(["time,hr,kind", "1,60,A", "2,61"]) {
            $0.rows = Profile.RowFilter(column: ["kind"], values: ["A"])
        }
        #expect(decoded.rows.map(\.time) == [1] && decoded.account.ignored == 1)
    }

    @Test("are no exceptions by the word of the row before, and what that row had first counts only there")
    func exceptions() throws {
        let word = RowException(column: ["kind"], words: ["swim"], reason: "a swim's")
        let swims = try decode(["time,hr,kind", "1,60,swim", "2,61"]) {
            $0.columns = [ColumnRule(["hr"], metric: "heart-rate", exception: word), ColumnRule(["kind"], kind: .ignore)]
        }
        #expect(swims.rows.map(\.value) == [61] && swims.rejects.map(\.reason) == ["a swim's"])
        let either = try decode(["time,second,first", "1,60,61", "2,62"]) {
            $0.columns = [ColumnRule(["first", "second"], metric: "heart-rate", isOneValue: true)]
        }
        #expect(either.rows.map(\.value) == [60, 62] && either.account.ignored == 1)
    }

    @Test("of a long table have neither the text nor the samples, the number nor the zone of the row before")
    func longCells() throws {
        let texts = try long(["time,what,value,text", "1,diary,,good", "2,diary,"])
        #expect(texts.rows.map(\.text) == ["good"] && texts.account.empty == 1)
        let numbers = try long(["time,what,text,value", "1,hr,,60", "2,hr,"])
        #expect(numbers.values("heart-rate") == [60] && numbers.account.empty == 1)
        let details = try long(["time,what,value,n,minutes", "1,hr,60,7,-330", "2,hr,61,8", "3,hr,62"])
        #expect(details.rows.map(\.sequence) == [7, 8, 0] && details.rows.map(\.zone) == [-330, nil, nil])
        let periods = try long(["time,what,value,period", "1,hr,60,30", "2,hr,61"])
        #expect(periods.rows.map(\.interval) == [30, 0])
        let units = try long(["time,what,value,unit", "1,body-weight,150,lb", "2,body-weight,70"])
        #expect(units.values("body-weight").map { $0.rounded() } == [68, 70])
    }

    // MARK: Rejects

    @Test("and are refused name the record's own place where the cell's would lie behind their end")
    func refused() throws {
        let decoded = try long(["time,what,samples,period,value,text", "1,ecg,1 2,1,,", "2,ecg,1 2,86400"])
        #expect(decoded.rows.map(\.samples) == [[1, 2]])
        #expect(decoded.rejects.map(\.line) == [3] && decoded.rejects.map(\.column) == [1] && decoded.rejects.map(\.offset) == [50])
    }
}
