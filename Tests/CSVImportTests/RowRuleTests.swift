import Testing
import VigilSchema

@testable import CSVImport

@Suite("rows and what they say")
struct RowRuleTests {
    private func profile(_ change: (inout Profile) -> Void = { _ in }) -> Profile {
        var profile = Profile(
            name: "own", title: "own", time: TimeRule(columns: [["time"]], formats: [.unix(unit: 1_000_000)]),
            participant: NameRule(column: ["who"], constant: "p"), source: NameRule(column: ["device"], constant: "s"))
        profile.session = NameRule(column: ["session"])
        profile.columns = [ColumnRule(["hr"], metric: "heart-rate")]
        change(&profile)
        return profile
    }

    private func decode(_ lines: [String], _ change: (inout Profile) -> Void = { _ in }) throws -> Decoded {
        try Decoded(lines.joined(separator: "\n") + "\n", profile: profile(change))
    }

    // MARK: Fields

    @Test("a row with a field too few or too many is refused whole, and one empty field too many is no matter")
    func fields() throws {
        let decoded = try decode(["time,hr,spo2", "1,60,97", "2,60", "3,60,97,1", "4,60,97,", "5,60,97,,"])
        #expect(decoded.rows.map(\.time) == [1, 1, 4, 4])
        #expect(decoded.rejects.map(\.line) == [3, 4, 6])
        #expect(decoded.rejects[0].reason == "the row has 2 fields, the header 3")
        #expect(decoded.rejects.map(\.cells) == [1, 2, 2])
        #expect(decoded.account.rows == 5 && decoded.account.accepted == 4 && decoded.account.rejected == 5 && decoded.account.empty == 1)
    }

    @Test("rows may be short where the maker's are, as far as they have their time")
    func short() throws {
        let decoded = try decode(["hr,time,spo2", "60,1", "60", "60,2,97", "61,3,"]) { $0.allowsShortRows = true }
        #expect(decoded.rows.map(\.time) == [1, 2, 2, 3] && decoded.rejects.map(\.line) == [3])
        #expect(decoded.account.empty == 2 + 1)
    }

    @Test("the header once more, lines and titles between parts are passed over and counted, and nothing that may be a reading")
    func decorations() throws {
        let decoded = try decode([
            "time,hr,spo2", "1,60,97", "time,hr,spo2", "---", "=====", "Part two", ",,", "==", "Part 2", "x,60,97", "2,60,97",
        ])
        #expect(decoded.rows.map(\.time) == [1, 1, 2, 2])
        #expect(decoded.rejects.map(\.line) == [9, 10])
        #expect(decoded.account.rows == 10)
    }

    @Test("only rows that count are read, and the others are left out, counted")
    func filtered() throws {
        let decoded = try decode(["time,kind,hr,x", "1,A,60,5", "2,B,60,5", "3, C ,60,5", "4,,60,5"]) {
            $0.rows = Profile.RowFilter(column: ["kind"], values: ["A", "C"])
            $0.otherColumns = .ignore
        }
        #expect(decoded.rows.map(\.time) == [1, 3] && decoded.rejects.isEmpty)
        #expect(decoded.account.ignored == 2 * 1 + 2 * 2)
    }

    // MARK: Names

    @Test("a row's names are its own, else those of the row's file; names that are none are refused")
    func names() throws {
        let long = String(repeating: "é", count: 64), longer = long + "x"
        let session = String(repeating: "s", count: 64)
        let decoded = try decode([
            "time,who,device,session,hr", "1,a,d,x,60", "2,a,d,x,60", "3,,d,x,60", "4,b,,x,60", "5,b,d,,60", "6,a b,d,x,60",
            "7,b,\(long),x,60",
            "8,b,\(longer),x,60", "9,b,d,\(session),60", "10,b,d,\(session)s,60", "11,a,d,x,60",
        ])
        let names = decoded.rows.map {
            "\($0.time.short) \($0.participant) \($0.source == long ? "long" : $0.source) \($0.session?.count ?? 0)"
        }
        #expect(names == ["1 a d 1", "2 a d 1", "3 p d 1", "4 b s 1", "5 b d 0", "7 b long 1", "9 b d 64", "11 a d 1"])
        #expect(
            decoded.rejects.map(\.reason) == [
                "the participant is not 1 to 64 of A-Z a-z 0-9 _ . -", "the source is longer than 128 bytes",
                "the session is longer than 64 bytes",
            ])
        #expect(decoded.rejects.map(\.column) == [3, 3, 4], "the participant's place")
    }

    @Test("a subject's readings of one time are numbered by themselves")
    func series() throws {
        let decoded = try decode(["time,who,device,hr,spo2", "1,a,x,60,97", "1,a,y,61,98", "1,b,x,62,99", "1,a,x,63,96"])
        #expect(decoded.rows.filter { $0.metric == "heart-rate" }.map(\.sequence) == [0, 0, 0, 1])
    }

    // MARK: Time

    @Test("an interval lasts until the row's end, to the nearest second and a day at most")
    func intervals() throws {
        let day = Double(Observation.longestInterval)
        let ends = ["", "11.4", "11.5", "10", "9", "x", (10 + day).short, (11 + day).short, "10.5", "10.4"]
        let decoded = try decode(["time,until,hr"] + ends.map { "10,\($0),60" }) { $0.time.ends = ["until"] }
        #expect(decoded.rows.map(\.interval) == [0, 1, 2, 0, 0, 0, Int32(day), 0, 1, 0])
        let own = try decode(["time,until,hr", "10,20,60"]) {
            $0.time.ends = ["until"]
            $0.columns = [ColumnRule(["hr"], metric: "heart-rate", interval: 60)]
        }
        #expect(own.rows.map(\.interval) == [60], "the column's own counts")
    }

    @Test("a cell may be measured later than its row begins")
    func delay() throws {
        let decoded = try decode(["time,hr", "10,60"]) { $0.columns = [ColumnRule(["hr"], metric: "heart-rate", delay: 1.5)] }
        #expect(decoded.rows.map(\.time) == [11.5])
    }

    @Test("a date and a clock in two columns, and the offset or the zone that the row names")
    func joined() throws {
        let decoded = try decode([
            "date,clock,zone,hr", "1970-01-02,00:00,+01:00,60", "1970-01-02,00:00,-60,60", "1970-01-02,00:00,Asia/Tokyo,60",
            "1970-01-02,00:00,,60", "1970-01-02,00:00,1080,60", "1970-01-02,00:00,-1080,60", "1970-01-02,00:00,1081,60",
            "1970-01-02,00:00,-360,60", "1970-01-02,00:00,330,60", "1970-01-02,00:00,+5:30,60",
            "1970-01-02,00:00,Nowhere,60", "1970-01-02,,+00:00,60", "1970-01-02,00:00,UTC,60", "1970-01-02,00:00,Europe/Berlin,60",
        ]) {
            $0.time = TimeRule(
                columns: [["date"], ["clock"]], formats: [.pattern("yyyy-MM-dd HH:mm"), .pattern("yyyy-MM-dd")], zone: "UTC",
                zoneColumn: ["zone"])
        }
        #expect(decoded.rows.map { ($0.time - 86_400) / 60 } == [-60, 60, -540, 0, -1080, 1080, 360, -330, -330, 0, 0, -60])
        #expect(decoded.rows.map(\.zone) == [60, -60, 540, 0, 1080, -1080, -360, 330, 330, 0, 0, 60])
        #expect(decoded.rejects.map(\.line) == [8, 12] && decoded.rejects.allSatisfy { $0.reason == "the time zone is not known" })
        #expect(decoded.rejects.allSatisfy { $0.column == 18 }, "the zone's place: \(decoded.rejects.map(\.column))")
    }

    @Test("times of UTC whose row only tells what the wearer's clock showed")
    func shown() throws {
        let decoded = try decode(["time,zone,hr", "86400,+02:00,60", "86401,,60"]) {
            $0.time.zoneColumn = ["zone"]
            $0.time.isUTC = true
        }
        #expect(decoded.rows.map(\.time) == [86_400, 86_401] && decoded.rows.map(\.zone) == [120, nil])
    }

    // MARK: Long tables

    private func long(_ lines: [String]) throws -> Decoded {
        try decode(lines) {
            $0.layout = .long
            ($0.long.metric, $0.long.code, $0.long.value, $0.long.unit) = (["what"], ["code"], ["value", "second"], ["unit"])
            ($0.long.text, $0.long.samples, $0.long.period) = (["text"], ["samples"], ["period"])
            ($0.long.sequence, $0.long.zone) = (["n"], ["minutes"])
            $0.emptyMarks = ["-"]
        }
    }

    @Test("a long row has one value, the first that is filled; codes count before names; rows without anything are empty")
    func longValues() throws {
        let decoded = try long([
            "time,what,code,value,second,unit", "1,hr,,60,99,/min", "2,hr,,,61,", "3,hr,,-,62,", "4,x,8867-4,63,,", "5,,8867-4,64,,",
            "6,,,65,,", "7,hr,,,,", "8,hr,,-,-,", "9,hr,,x,,", "10,body-weight,,150,,lb", "11,body-weight,,150,,parsec",
        ])
        #expect(decoded.values("heart-rate") == [60, 61, 62, 63, 64])
        #expect(decoded.values("body-weight").map { ($0 * 10).rounded() / 10 } == [68])
        #expect(decoded.rejects.map(\.line) == [7, 10, 12])
        #expect(decoded.rejects[0].reason == "the row does not say what it measures")
        #expect(decoded.account.empty >= 2)
    }

    @Test("a long row's text, number, zone and interval")
    func longDetails() throws {
        let decoded = try long([
            "time,what,value,text,period,n,minutes", "1,hr,60,,30,7,-330", "2,hr,60,,0.5,x,", "3,hr,60,,,,1080", "4,diary,,good,,,",
            "5,hr,,good,,,", "6,hr,60,,\(Observation.longestInterval),,", "7,hr,60,,\(Observation.longestInterval + 1),,",
        ])
        #expect(decoded.rows.map(\.time) == [1, 2, 3, 4, 6, 7])
        #expect(decoded.rows.map(\.interval) == [30, 0, 0, 0, Observation.longestInterval, 0])
        #expect(decoded.rows.map(\.sequence) == [7, 0, 0, 0, 0, 0])
        #expect(decoded.rows.map(\.zone) == [-330, nil, 1080, nil, nil, nil])
        #expect(decoded.rows[3].text == "good")
        #expect(decoded.rejects.map(\.reason) == ["this is not a number"])
    }

    @Test(
        "samples have a period of a microsecond at least, and last a day at most, as in every store",
        arguments: [
            ("1 2", "0.5", true), ("1 2", "0.000001", true), ("1 2", "0.0000009", false), ("1 2", "43200", true), ("1 2", "43200.1", false),
            ("1 2", "86401", false),
            ("1 2", "", false), ("1 x", "1", false), ("1 2", "x", false),
        ])
    func samples(samples: String, period: String, isTaken: Bool) throws {
        let decoded = try long(["time,what,value,samples,period", "1,ecg,,\(samples),\(period)"])
        #expect(decoded.rows.map(\.samples) == (isTaken ? [[1, 2]] : []))
        #expect(decoded.rows.map(\.period) == (isTaken ? [Double(period) ?? 0] : []) && decoded.rows.allSatisfy { $0.interval == 0 })
        #expect(decoded.rejects.count == (isTaken ? 0 : 1))
    }

    @Test("a unit beside the value counts before the column's, as far as it fits")
    func units() throws {
        let decoded = try decode(["time,weight,u", "1,150,lb", "2,70,", "3,70,kg", "4,70,parsec", "5,150,lb"]) {
            $0.columns = [ColumnRule(["weight"], metric: "body-weight", unit: "kg", unitColumn: ["u"]), ColumnRule(["u"], kind: .ignore)]
        }
        #expect(decoded.values("body-weight").map { ($0 * 10).rounded() / 10 } == [68, 70, 70, 68])
        #expect(decoded.rejects.map(\.reason) == ["the unit of its row does not fit body-weight"])
        #expect(decoded.rejects.map(\.column) == [3])
    }

    @Test(
        "of a blood pressure the halves stand together or not at all, as of a live device, and the systolic one is not the lower",
        arguments: [
            ("Blood pressure", "1200/80", [], 2), ("Blood pressure", "120/800", [], 2), ("Blood pressure", "80/120", [], 2),
            ("Blood pressure", "120/80", [120, 80], 0), ("Systolic,Diastolic", "1200,80", [], 2), ("Systolic,Diastolic", "120,x", [], 2),
            ("Systolic,Diastolic", "80,120", [], 2), ("Systolic,Diastolic", "120,", [120], 0),
            ("Systolic,Diastolic", "120,80", [120, 80], 0),
            ("Diastolic,Systolic", "80,120", [80, 120], 0), ("Diastolic,Systolic", "80,1200", [], 2),
        ] as [(String, String, [Double], Int)])
    func pressures(header: String, cell: String, kept: [Double], refused: Int) throws {
        let text = "Time,\(header),Pulse\n2024-03-25 10:00,\(cell),60\n2024-03-25 10:01,\(cell),61\n"
        let decoded = try Decoded(text, options: .ofParticipant())
        #expect(decoded.rows.filter { $0.metric != "heart-rate" }.map(\.value) == kept + kept)
        #expect(decoded.values("heart-rate") == [60, 61] && decoded.rejects.count == refused * 2)
        #expect(decoded.account.accepted == decoded.rows.count && decoded.account.rejected == refused * 2)
    }

    @Test("a sensor's word for a limit is refused where nothing tells the limit, and says how to tell it")
    func unknownLimit() throws {
        let decoded = try Decoded("Time,Glucose (mg/dL)\n2024-03-25 10:00,LO\n2024-03-25 10:05,<40\n", options: .ofParticipant())
        #expect(decoded.rows.map(\.text) == ["<40"])
        #expect(decoded.rejects.map(\.reason).allSatisfy { $0.contains("limits: ['LO=<40']") } && decoded.rejects.count == 1)
        let told = try decode(["time,hr", "1,LO", "2,60"]) { $0.columns = [ColumnRule(["hr"], metric: "heart-rate", limits: ["LO=<20"])] }
        #expect(told.rows.map(\.text) == ["<20", nil] && told.rejects.isEmpty)
    }
}
