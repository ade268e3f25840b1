import Testing
import VigilSchema

@testable import SensorIngest

@Suite("Rules of SenML")
struct SenMLRuleTests {
    private static let received = Timestamp(microseconds: 1_700_000_000_500_000)

    /// Observations, and refusals after `no`; or the pack's refusal after `fail`.
    private func lines(_ text: String) -> [String] {
        let bytes = Array(text.utf8)
        do throws(PayloadError) {
            let readings = try SenMLJSONFormat().decode(bytes.span, received: Self.received)
            return readings.readings.map(Described.observation) + readings.refusals.map { "no " + Described.refusal($0) }
        } catch {
            return ["fail " + Described.refusal(error)]
        }
    }

    @Test(
        "are understood in versions 1 to 10, and 26 for secondary units",
        arguments: [
            (1, true), (5, true), (10, true), (26, true), (0, false), (11, false), (16, false), (25, false), (27, false), (-1, false),
        ])
    func versions(version: Int, isUnderstood: Bool) {
        #expect(SenMLVersion.isUnderstood(version) == isUnderstood)
    }

    @Test(
        "keep the years 1 to 9999, to the microsecond",
        arguments: [
            (0.0, 0), (1.5, 1_500_000), (0.0000005, 1), (0.0000004, 0), (-1, -1_000_000), (253_402_300_800, 253_402_300_800_000_000),
            (253_402_300_801, nil),
            (-253_402_300_801, nil), (.nan, nil), (.infinity, nil),
        ] as [(Double, Int64?)])
    func times(seconds: Double, microseconds: Int64?) {
        #expect(SenMLNumber.microseconds(seconds: seconds) == microseconds)
    }

    @Test(
        "have names of letters, digits and - : . / _, of which the first is a letter or digit",
        arguments: [
            ("a", true), ("Z", true), ("0", true), ("9z", true), ("a-:./_Z09", true), ("", false), ("-a", false), ("_a", false),
            (":a", false), ("a b", false), ("a@", false),
            ("a[", false), ("a`", false), ("a{", false), ("aä", false), ("a;", false), ("a,", false), ("a^", false), ("A", true),
            ("z", true), ("@a", false), ("[a", false),
        ])
    func names(name: String, isValid: Bool) {
        #expect(SenMLName.isValid(name) == isValid)
    }

    @Test(
        "have a metric at the end of a name, and the device's part before it",
        arguments: [
            ("heart-rate", "heart-rate", nil), ("urn:dev:ow:10e2:heart-rate", "heart-rate", "urn:dev:ow:10e2"),
            ("a/heart-rate", "heart-rate", "a"),
            ("a_left_heart-rate", "heart-rate", "a_left"), ("a:frobs", "frobs", "a"), ("a/x_frobs", "x_frobs", "a"),
            ("a//heart-rate", "heart-rate", "a"),
            ("a_b/heart-rate", "heart-rate", "a_b"), ("frobs", "frobs", nil), ("a:_heart-rate", "heart-rate", "a"),
        ] as [(String, String, String?)])
    func metrics(name: String, metric: String, part: String?) {
        #expect(SenMLName.metric(of: name, in: .standard) == metric)
        #expect(SenMLName.part(of: name, metric: metric) == part)
    }

    @Test("keep the last 128 characters of a very long part")
    func longParts() {
        for count in [127, 128, 129] {
            let part = "a" + String(repeating: "b", count: count - 1)
            #expect(SenMLName.part(of: part + ":ecg", metric: "ecg") == String(part.suffix(128)))
        }
    }

    @Test(
        "add base fields, carry them on, and let a record's own go first",
        arguments: [
            (
                #"[{"bn":"d:","n":"ecg","bt":1700000000,"bv":2,"bu":"mV","v":1,"t":3},{"n":"ecg","v":5,"u":"V","t":-3},{"n":"ecg"}]"#,
                [
                    "ecg @1700000003.0 3.0 mV byte 59", "ecg @1699999997.0 7.0 V byte 83", "ecg @1700000000.0 2.0 mV byte 101",
                ]
            ),
            (#"[{"bn":"ecg","v":1},{"bn":"x:","n":"ecg","v":2}]"#, ["ecg @1700000000.5 1.0 - byte 17", "ecg @1700000000.5 2.0 - byte 45"]),
            (
                #"[{"n":"ecg","v":1,"t":268435455},{"n":"ecg","v":1,"t":268435456},{"n":"ecg","v":1,"t":-10}]"#,
                [
                    "ecg @1968435455.5 1.0 - byte 16", "ecg @268435456.0 1.0 - byte 48", "ecg @1699999990.5 1.0 - byte 80",
                ]
            ),
        ])
    func bases(text: String, expected: [String]) {
        #expect(lines(text) == expected)
    }

    @Test(
        "refuse a record that is wrong by itself, and a pack whose base is",
        arguments: [
            (#"[{"v":1}]"#, ["no missing 1 $[0]: the name is missing; n or bn gives it"]),
            (#"[{"n":"-a","v":1}]"#, ["no malformed 6 $[0].n: a name holds A-Z a-z 0-9 - : . / _ and starts with a letter or digit"]),
            (#"[{"bn":"-a","v":1}]"#, ["no malformed 7 $[0].bn: a name holds A-Z a-z 0-9 - : . / _ and starts with a letter or digit"]),
            (#"[{"n":"a:","v":1}]"#, ["no missing 6 $[0].n: the name ends where a metric is expected"]),
            (#"[{"n":"a/","v":1}]"#, ["no missing 6 $[0].n: the name ends where a metric is expected"]),
            (#"[{"n":"ecg"}]"#, ["no missing 1 $[0]: one of v, vs and vb is needed"]),
            (#"[{"n":"ecg","v":1,"vs":"a"}]"#, ["no conflicting 1 $[0]: only one of v, vs, vb and vd may be there"]),
            (#"[{"n":"ecg","v":1,"vb":true}]"#, ["no conflicting 1 $[0]: only one of v, vs, vb and vd may be there"]),
            (#"[{"n":"ecg","vs":"a","vb":true}]"#, ["no conflicting 1 $[0]: only one of v, vs, vb and vd may be there"]),
            (#"[{"n":"ecg","s":1}]"#, ["no unsupported 16 $[0].s: a sum (s, bs) without a value is not kept; send values (v)"]),
            (#"[{"n":"ecg","bs":1}]"#, ["no unsupported 1 $[0]: a sum (s, bs) without a value is not kept; send values (v)"]),
            (#"[{"n":"ecg","s":1,"v":2}]"#, ["ecg @1700000000.5 2.0 - byte 22"]),
            (#"[{"bs":1},{"n":"ecg","vs":"a"}]"#, ["no unsupported 10 $[1]: a sum (s, bs) without a value is not kept; send values (v)"]),
            (#"[{"n":"ecg","vd":"aa"}]"#, ["no unsupported 17 $[0].vd: data (vd) holds no reading; send v, vs or vb"]),
            (#"[{"bv":1e308,"n":"ecg","v":1e308}]"#, ["no not-finite 27 $[0].v: the base value and the value add up to no finite number"]),
            (#"[{"bt":253402300800,"n":"ecg","v":1,"t":1}]"#, ["no implausible-time 40 $[0].t: the time lies outside the years 1 to 9999"]),
            (
                #"[{"bver":11,"n":"ecg","v":1}]"#,
                ["fail unsupported 9 $[0].bver: the version is newer than 10, with features that are not known"]
            ),
            (
                #"[{"bver":5,"n":"ecg","v":1},{"bver":6,"n":"ecg","v":1}]"#,
                ["fail conflicting 36 $[1].bver: the version changes within the pack"]
            ),
            (
                #"[{"bver":5,"n":"ecg","v":1},{"bver":5,"n":"ecg","v":2}]"#,
                ["ecg @1700000000.5 1.0 - byte 25", "ecg @1700000000.5 2.0 - byte 52"]
            ),
            (#"[{"bver":1.5,"n":"ecg","v":1}]"#, ["fail wrong-type 9 $[0].bver: a version is a positive whole number"]),
            (#"[{"bver":0,"n":"ecg","v":1}]"#, ["fail wrong-type 9 $[0].bver: a version is a positive whole number"]),
            (#"[{"bver":1000000001,"n":"ecg","v":1}]"#, ["fail wrong-type 9 $[0].bver: a version is a positive whole number"]),
            (
                #"[{"bver":1000000000,"n":"ecg","v":1}]"#,
                ["fail unsupported 9 $[0].bver: the version is newer than 10, with features that are not known"]
            ),
            (#"[{"n":1,"bt":"x","v":1}]"#, ["fail wrong-type 13 $[0].bt: a number is expected"]),
            (#"[{"n":"ecg","v":"x","v":1}]"#, ["no wrong-type 16 $[0].v: a number is expected"]),
            (#"[{"n":"ecg","vb":1}]"#, ["no wrong-type 17 $[0].vb: true or false is expected"]),
            (#"[{"n":"note","vs":""}]"#, ["no wrong-type 18 $[0].vs: the text is empty"]),
            (#"[{"n":"ecg","x_":1,"v":1}]"#, ["no unsupported 12 $[0]: a field that must be understood is not known"]),
            (#"[{"n":"ecg","x":1,"v":1}]"#, ["ecg @1700000000.5 1.0 - byte 22"]),
            (#"[1,{}]"#, ["no wrong-type 1 $[0]: a record must be an object", "no missing 3 $[1]: the record is empty"]),
            ("[]", ["fail missing 0 $: the pack has no records"]), (" {}", ["fail wrong-type 1 $: a pack must be an array of records"]),
            (#"[{"n":"ecg","v":1}]x"#, ["fail malformed 19 $: something follows the document"]),
        ])
    func refused(text: String, expected: [String]) {
        #expect(lines(text) == expected)
    }

    @Test("hold a hundred thousand records, and no more")
    func bounded() throws {
        // A bracket, then 100,000 records of ten bytes, each with its comma.
        let pack = "[" + Array(repeating: #"{"bn":"a"}"#, count: 100_001).joined(separator: ",") + "]"
        #expect(lines(pack) == ["fail too-large 1100001 $: more than 100000 records in one pack"])
    }

    @Test("say where each part of a reading stands, or where the record begins")
    func offsets() {
        var record = SenMLRecord(start: 5)
        #expect(record.offset(of: .value) == 5 && record.offset(of: nil) == 5 && record.nameLabel == nil && !record.hasRegularFields)
        #expect(record.mark(.baseName, at: 7) == true)
        #expect(record.nameLabel == .baseName && !record.hasRegularFields)
        #expect(record.mark(.name, at: 0) == true)
        #expect(record.nameLabel == .name && record.hasRegularFields && record.offset(of: .name) == 0)
        #expect(record.mark(.name, at: 9) == false)
        #expect(record.refusal?.offset == 9 && record.refusal?.label == .name)
        record.refuse(.missing, "the record is empty", at: 11, .value)
        #expect(record.refusal?.offset == 9)
        record.refuse(.missing, "the record is empty", at: 13, .baseTime)
        record.refuse(.missing, "the record is empty", at: 15, .baseUnit)
        #expect(record.refusal?.offset == 13)
        let offsets = record.offsets(content: .value)
        #expect(offsets.element == 5 && offsets.metric == 0 && offsets.time == 5 && offsets.unit == 5 && offsets.content == 5)
    }
}
