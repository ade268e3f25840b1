import Foundation
import Testing
import VigilSchema

@Suite("Limits of what the timeline keeps")
struct RecordLimitTests {
    private static func x(_ count: Int) -> String { String(repeating: "x", count: count) }

    /// The path of the refusal, and its code; nil where it is well.
    private func refusal(_ validate: () throws -> Void) -> (path: String, code: PayloadError.Code)? {
        do {
            try validate()
            return nil
        } catch let error as PayloadError { return (error.path, error.code) } catch { return ("another error", .malformed) }
    }

    @Test(
        "a line of the audit trail has texts up to their lengths",
        arguments: [
            (
                AuditEntry(
                    time: Timestamp(seconds: 1), actor: x(128), address: x(128), operation: x(64), participant: x(64), detail: x(512),
                    outcome: x(64)), nil
            ),
            (AuditEntry(time: Timestamp(seconds: 1), actor: "a", operation: "b"), nil),
            (AuditEntry(time: Timestamp(seconds: 1), actor: "a", operation: "b", outcome: ""), "$.outcome"),
            (AuditEntry(time: Timestamp(seconds: 1), actor: "", operation: "b"), "$.actor"),
            (AuditEntry(time: Timestamp(seconds: 1), actor: x(129), operation: "b"), "$.actor"),
            (AuditEntry(time: Timestamp(seconds: 1), actor: "a", operation: ""), "$.operation"),
            (AuditEntry(time: Timestamp(seconds: 1), actor: "a", operation: x(65)), "$.operation"),
            (AuditEntry(time: Timestamp(seconds: 1), actor: "a\0", operation: "b"), "$.actor"),
            (AuditEntry(time: Timestamp(seconds: 1), actor: "a", operation: "b", outcome: x(65)), "$.outcome"),
            (AuditEntry(time: Timestamp(seconds: 1), actor: "a", address: x(129), operation: "b"), "$.address"),
            (AuditEntry(time: Timestamp(seconds: 1), actor: "a", address: "\0", operation: "b"), "$.address"),
            (AuditEntry(time: Timestamp(seconds: 1), actor: "a", operation: "b", detail: x(513)), "$.detail"),
            (AuditEntry(time: Timestamp(seconds: 1), actor: "a", operation: "b", participant: x(65)), "$.participant"),
        ] as [(AuditEntry, String?)])
    func audit(entry: AuditEntry, path: String?) { #expect(refusal(entry.validate)?.path == path) }

    @Test("an audit line keeps all that it is made of")
    func auditLine() throws {
        let entry = AuditEntry(
            time: Timestamp(seconds: 1.5), actor: "a", address: "b", operation: "c", participant: "d", detail: "e", outcome: "f")
        let object = try JSONSerialization.jsonObject(with: JSONEncoder().encode(entry)) as? NSDictionary
        #expect(object == ["time": 1.5, "actor": "a", "address": "b", "operation": "c", "participant": "d", "detail": "e", "outcome": "f"])
        #expect(AuditEntry(time: Timestamp(seconds: 1), actor: "a", operation: "c").outcome == "ok")
    }

    private static func entry(_ change: (inout TimelineEntry) -> Void) -> TimelineEntry {
        var entry = TimelineEntry(id: "a", kind: .result, time: Timestamp(seconds: 5), description: "d")
        change(&entry)
        return entry
    }

    @Test(
        "an entry has texts up to their lengths, a finite value, and an end that is not before its time",
        arguments: [
            (entry { $0.description = x(500) }, nil), (entry { $0.description = x(501) }, "$.description"),
            (entry { $0.description = "a\0" }, "$.description"), (entry { $0.ends = Timestamp(seconds: 5) }, nil),
            (entry { $0.ends = Timestamp(microseconds: 4_999_999) }, "$.ends"), (entry { $0.value = .infinity }, "$.value"),
            (entry { $0.value = -1 }, nil), (entry { ($0.detail, $0.text, $0.unit) = (x(4000), x(500), x(40)) }, nil),
            (entry { $0.detail = x(4001) }, "$"), (entry { $0.text = x(501) }, "$"), (entry { $0.unit = x(41) }, "$"),
            (entry { $0.id = "a/b" }, "$.id"),
        ] as [(TimelineEntry, String?)])
    func entries(entry: TimelineEntry, path: String?) {
        #expect(refusal(entry.validate)?.path == path)
        #expect(refusal(TimelineRecord.entry(entry, received: nil).validate)?.path == path)
    }

    private static func replaced(_ change: (inout ReplacedValue) -> Void) -> ReplacedValue {
        var value = ReplacedValue(
            number: 1, metric: "m", unit: "1", source: "s", time: Timestamp(seconds: 1), sequence: 0, received: Timestamp(seconds: 2),
            replaced: Timestamp(seconds: 3))
        value.value = 1
        change(&value)
        return value
    }

    @Test(
        "a replaced value is one of three kinds, with names, texts and periods within their limits",
        arguments: [
            (replaced { _ in }, nil), (replaced { $0.metric = "" }, "$.metric"), (replaced { $0.metric = x(257) }, "$.metric"),
            (replaced { ($0.metric, $0.source, $0.session, $0.unit) = (x(256), x(256), x(256), x(256)) }, nil),
            (replaced { $0.source = "a\0" }, "$.source"), (replaced { $0.session = "" }, "$.session"),
            (replaced { $0.unit = "" }, "$.unit"),
            (replaced { $0.value = nil }, "$"), (replaced { $0.text = "a" }, "$"), (replaced { $0.value = .nan }, "$.value"),
            (replaced { ($0.value, $0.text) = (nil, x(4096)) }, nil), (replaced { ($0.value, $0.text) = (nil, x(4097)) }, "$.text"),
            (replaced { ($0.value, $0.text) = (nil, "a\0") }, "$.text"), (replaced { $0.period = 315_576_000 }, nil),
            (replaced { $0.period = 315_576_001 }, "$.period"), (replaced { $0.period = 0 }, "$.period"),
            (replaced { $0.period = 0.5 }, nil),
            (replaced { $0.period = -1 }, "$.period"), (replaced { ($0.value, $0.samples) = (nil, [1]) }, "$.period"),
            (replaced { ($0.value, $0.samples, $0.period) = (nil, [1, 2], 86_400) }, nil),
            (replaced { ($0.value, $0.samples, $0.period) = (nil, [1], 86_401) }, "$.period"),
            (replaced { ($0.value, $0.samples, $0.period) = (nil, [], 1) }, "$.value"),
            (replaced { ($0.value, $0.samples, $0.period) = (nil, [1, .infinity], 1) }, "$.value"),
            (replaced { $0.period = 100_000 }, nil),
        ] as [(ReplacedValue, String?)])
    func ofReplaced(value: ReplacedValue, path: String?) {
        #expect(refusal(value.validate)?.path == path)
        #expect(refusal(TimelineRecord.replaced(value).validate)?.path == path)
    }

    private static let alert = AlertMessage(
        participant: "12", rule: "r", sequence: 1, transition: "raised", cause: "reading", time: 1.5, decided: 2, state: "active",
        severity: "warning", priority: "medium", kind: "medical", group: "heart", since: 1.25, title: ["en": "High"],
        message: ["de": "Hoch"])

    private static func changed(_ change: (inout AlertMessage) -> Void) -> AlertMessage {
        var message = alert
        change(&message)
        return message
    }

    @Test(
        "an alert has names, times that can be written, and no NUL",
        arguments: [
            (alert, nil), (changed { $0.participant = "a b" }, "$.participant"), (changed { $0.rule = "" }, "$.rule"),
            (
                changed {
                    ($0.time, $0.since, $0.decided, $0.silencedUntil) = (62_135_596_800, -62_135_596_800, 62_135_596_800, 62_135_596_800)
                }, nil
            ),
            (changed { $0.time = 62_135_596_801 }, "$.time"), (changed { $0.time = -62_135_596_801 }, "$.time"),
            (changed { $0.since = 62_135_596_801 }, "$.since"), (changed { $0.decided = 1e300 }, "$.decided"),
            (changed { $0.silencedUntil = 62_135_596_801 }, "$.silencedUntil"), (changed { $0.state = "a\0" }, "$.state"),
            (changed { $0.transition = "\0" }, "$.transition"), (changed { $0.severity = "\0" }, "$.severity"),
            (changed { $0.priority = "\0" }, "$.priority"), (changed { $0.title["x"] = "\0" }, "$.title"),
            (changed { $0.message["x"] = "\0" }, "$.message"), (changed { $0.time = .nan }, "$.time"),
        ] as [(AlertMessage, String?)])
    func ofAlerts(alert: AlertMessage, path: String?) {
        #expect(refusal(alert.validate)?.path == path)
        #expect(refusal(TimelineRecord.alert(alert).validate)?.path == path)
    }

    @Test("an alert is audible while it is active and neither silenced nor inhibited, and begins as none of these")
    func audible() throws {
        let alert = Self.alert
        #expect(alert.isAudible && !alert.acknowledged && !alert.recovered && !alert.inhibited && !alert.dataLost && !alert.silenced)
        #expect(!Self.changed { $0.silenced = true }.isAudible && !Self.changed { $0.inhibited = true }.isAudible)
        #expect(!Self.changed { $0.state = "pending" }.isAudible)
        #expect(try AlertMessage(decoding: alert.encoded()) == alert)
        #expect(
            String(decoding: try alert.encoded(), as: UTF8.self).hasPrefix(#"{"acknowledged":false,"cause":"reading","dataLost":false"#))
    }

    @Test("a record tells its kind and time, and an alert's goes with its participant")
    func records() throws {
        let entry = Self.entry { _ in }, value = Self.replaced { _ in }
        let records: [(TimelineRecord, String, Timestamp?)] = [
            (.profile(ParticipantProfile(first: "Ada")), "profile", nil),
            (.entry(entry, received: Timestamp(seconds: 7)), "entry", entry.time),
            (.entry(entry, received: nil), "entry", entry.time), (.alert(Self.alert), "alert", Timestamp(seconds: 1.5)),
            (.replaced(value), "replaced", value.time),
        ]
        for (record, kind, time) in records {
            #expect(record.kind == kind && record.time == time)
            #expect(try JSONDecoder().decode(TimelineRecord.self, from: JSONEncoder().encode(record)) == record)
            if kind == "alert" {
                #expect(record.moved(to: "13") == .alert(Self.changed { $0.participant = "13" }))
            } else {
                #expect(record.moved(to: "13") == record)
            }
        }
        #expect(refusal(TimelineRecord.profile(ParticipantProfile(height: 1)).validate)?.path == "$.height")
    }
}
