import AlertRules
import Foundation
import MessageBus
import SQLiteDatabase
import TestSupport
import Testing
import VigilSchema

@testable import Alerting

/// A state file as the first version wrote it, under rules of which one would be refused today.
@Suite("State of the first version")
struct FormerStateTests {
    private static let start: Int64 = 1_700_000_000
    private static let rules = RuleFile(
        name: "ward.json5",
        text: """
            {scores: {news2: {}}, rules: [
              {id: "fast", metric: "heart-rate", severity: "warning", above: 110, staleAfter: "1h", escalate: [{after: "10m", to: "nurse"}]},
              {id: "low", metric: "oxygen-saturation", severity: "critical", below: 85, staleAfter: "1h", inhibitedBy: ["poor"]},
              {id: "poor", kind: "technical", metric: "ecg-quality", severity: "notice", below: 0.5},
              {id: "hot", metric: "body-temperature", severity: "warning", above: 38, staleAfter: "1d"}]}
            """)
    /// The metrics' places then: as the rules name them, then what scores need.
    private static let (heartRate, saturation) = (0, 1)

    @Test("nothing is lost and nothing told twice: alerts, acknowledgements, thresholds, what waits for the broker and for the notifiers")
    func upgrade() async throws {
        let folder = try TemporaryFolder("former-state")
        try FormerFile(folder.path("state.sqlite")).write(rules: Self.rules)
        let core = try Self.open(folder)
        // The broker gets what it had not got, byte for byte, and nothing of what it had.
        #expect(try await core.leftOver().messages.map(\.topic) == ["vigil/v1/alert-events/12/low", "vigil/v1/alerts/12/low"])
        #expect(try await core.leftOver().messages[0].payload == FormerFile.event("low", 3, "acknowledged", severity: "critical"))
        // The notifier has told of the one alert; it hears of the acknowledgement of the other, which waited.
        let ward = try await core.notifier("ward")
        let group = try #require(ward.groups["participant=12"])
        #expect(group.told == ["12/fast", "12/low"] && group.number == 4 && ward.present.isEmpty)
        #expect(group.firing.mapValues(\.message.sequence) == ["12/fast": 2, "12/low": 2])
        let waiting = try await core.transitions(after: ward.covered).alerts
        #expect(waiting.map { "\($0.key) \($0.message.transition)" } == ["12/low acknowledged"])
        var planner = NotificationPlanner(route: NotifierRoute(id: "ward", groupInterval: 0), groups: ward.groups)
        #expect(planner.begin(now: (Self.start + 5) * 1_000_000).isEmpty)
        for alert in waiting { planner.take(alert, now: (Self.start + 6) * 1_000_000) }
        let told = planner.begin(now: (Self.start + 6) * 1_000_000)
        #expect(told.count == 1 && told.first?.isReminder == false)
        #expect(try await core.history("fast") == ["raised 2", "pending 1"])
    }

    @Test("goes on where it stood: sequence, escalation, the person's own threshold, and a journal that a kill left behind")
    func goingOn() async throws {
        let folder = try TemporaryFolder("former-state")
        try FormerFile(folder.path("state.sqlite")).write(rules: Self.rules, journal: [(Self.saturation, 84), (Self.heartRate, 107)])
        let core = try Self.open(folder)
        // The journal's 84 was a saturation, under the limit: read as the pulse rate that has its place today it would be nothing at all.
        let lines = try await core.explain("low")
        #expect(lines.contains { $0.contains("84") }, "\(lines)")
        // 107 is above this person's 105, so that the alarm stands, unanswered for nine minutes, and escalates in the tenth.
        var messages: [AlertMessage] = []
        for second in stride(from: Int64(0), through: 120, by: 10) {
            messages += try await core.advance(to: Self.moment(second)).messages.filter { $0.topic.contains("/alert-events/") }
                .map { try AlertMessage(decoding: $0.payload) }
        }
        #expect(messages.map { "\($0.rule) \($0.transition) \($0.sequence)" }.first == "fast escalated 3", "\(messages.map(\.transition))")
        #expect(messages.allSatisfy { $0.rule == "fast" }, "the acknowledged alert is told again: \(messages.map(\.rule))")
        // A clearance had no end then: it has one now.
        let states = try await core.snapshot("hot")
        #expect(states.clearedUntil == Double(Self.start + 4 * 3600))
        // Once more: it is a file of today.
        try await core.checkpoint(now: Self.moment(130))
        let again = try Self.open(folder)
        #expect(try await again.history("fast").first == "escalated 3")
    }

    private static func moment(_ second: Int64) -> ClockSample {
        ClockSample(wall: (start + second) * 1_000_000, boot: (1000 + second) * 1_000_000)
    }

    private static func open(_ folder: borrowing TemporaryFolder) throws -> AlertCore {
        try AlertCore(
            path: folder.path("state.sqlite"), rules: [rules], markerTopic: FormerFile.marker, capacity: 100, now: moment(0),
            bootID: "first")
    }
}

extension AlertCore {
    fileprivate func history(_ rule: String) async throws -> [String] {
        try await store.history.newest(participant: "12", rule: rule, limit: 10).map {
            let message = try AlertMessage(decoding: $0)
            return "\(message.transition) \(message.sequence)"
        }
    }

    fileprivate func explain(_ rule: String) throws -> [String] {
        let place = try #require(memory.engine.rules.rule(named: rule))
        return memory.engine.explain(participant: try #require(memory.engine.knownPlace(of: "12")), rule: place)
    }

    fileprivate func snapshot(_ rule: String) throws -> (clearedUntil: Double?, Void) {
        let place = try #require(memory.engine.rules.rule(named: rule))
        let alert = memory.engine.snapshot(participant: try #require(memory.engine.knownPlace(of: "12")), rule: place).alert
        return (alert.clearedUntil.map { Double($0) / 1e6 }, ())
    }
}

/// Writes what the first version would have written: its tables, and its bytes for a participant.
private struct FormerFile {
    static let marker = "vigil/v1/modules/vigil-alert/test/caught-up"
    private static let start: Int64 = 1_700_000_000_000_000
    private static let minute: Int64 = 60_000_000
    private let database: Database

    init(_ path: String) throws {
        database = try Database(path: path)
        try database.execute(
            """
            CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
            CREATE TABLE rules (place INTEGER PRIMARY KEY, name TEXT NOT NULL, text TEXT NOT NULL);
            CREATE TABLE participants (place INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, state BLOB NOT NULL);
            CREATE TABLE journal (id INTEGER PRIMARY KEY, record BLOB NOT NULL);
            CREATE TABLE outbox (id INTEGER PRIMARY KEY AUTOINCREMENT, topic TEXT NOT NULL, payload BLOB NOT NULL, retained INTEGER NOT NULL);
            CREATE TABLE notices (id INTEGER PRIMARY KEY AUTOINCREMENT, event BLOB NOT NULL);
            CREATE TABLE history (id INTEGER PRIMARY KEY, participant TEXT NOT NULL, rule TEXT NOT NULL, event BLOB NOT NULL);
            CREATE INDEX history_of ON history (participant, rule, id);
            PRAGMA user_version = 1;
            """)
    }

    func write(rules: RuleFile, journal: [(metric: Int, value: Double)] = []) throws {
        try database.run("INSERT INTO rules (name, text) VALUES (?, ?)", [.text(rules.name), .text(rules.text)])
        try database.run("INSERT INTO participants VALUES (0, '12', ?)", [.blob(Self.participant)])
        var clock = ByteWriter()
        for number in [Self.start, Self.start, 0] { clock.write(number) }
        try database.run("INSERT INTO meta VALUES ('clock', ?)", [.blob(clock.bytes)])
        let told = try [Self.message("fast", 2, "raised", severity: "warning"), Self.message("low", 2, "raised", severity: "critical")]
        for (rule, sequence, transition, severity) in [
            ("fast", 1, "pending", "none"), ("fast", 2, "raised", "warning"), ("low", 1, "pending", "none"),
            ("low", 2, "raised", "critical"),
            ("low", 3, "acknowledged", "critical"),
        ] {
            try database.run(
                "INSERT INTO history (participant, rule, event) VALUES ('12', ?, ?)",
                [.text(rule), .blob(Self.event(rule, UInt32(sequence), transition, severity: severity))])
        }
        let last = try Self.event("low", 3, "acknowledged", severity: "critical")
        try database.run("INSERT INTO notices (id, event) VALUES (77, ?)", [.blob(last)])
        try database.run("INSERT INTO outbox (topic, payload, retained) VALUES ('vigil/v1/alert-events/12/low', ?, 0)", [.blob(last)])
        try database.run("INSERT INTO outbox (topic, payload, retained) VALUES ('vigil/v1/alerts/12/low', ?, 1)", [.blob(last)])
        try database.run("INSERT INTO meta VALUES ('notifier', ?)", [.blob(try Self.notifiers(told))])
        if !journal.isEmpty { try database.run("INSERT INTO journal (record) VALUES (?)", [.blob(Self.record(journal))]) }
    }

    static func event(_ rule: String, _ sequence: UInt32, _ transition: String, severity: String) throws -> [UInt8] {
        try message(rule, sequence, transition, severity: severity).encoded()
    }

    private static func message(_ rule: String, _ sequence: UInt32, _ transition: String, severity: String) throws -> AlertMessage {
        var message = AlertMessage(
            participant: "12", rule: rule, sequence: sequence, transition: transition, cause: "reading", time: Double(start) / 1e6,
            decided: Double(start) / 1e6, state: transition == "pending" ? "pending" : "active", severity: severity, priority: "medium",
            kind: "medical", group: "default", since: Double(start) / 1e6, title: ["en": "T"], message: ["en": "M"])
        message.acknowledged = transition == "acknowledged"
        return message
    }

    /// By notifier and group, the messages whole.
    private static func notifiers(_ told: [AlertMessage]) throws -> [UInt8] {
        let alerts = try told.map { "\"12/\($0.rule)\": \(String(decoding: try $0.encoded(), as: UTF8.self))" }.joined(separator: ", ")
        return Array(
            """
            {"groups": {"ward": {"participant=12": {"firing": {\(alerts)}, "resolved": {}, "told": ["12/fast", "12/low"], "isUrgent": false,
              "lastSent": \(start), "number": 4, "failures": 0, "notBefore": 0}}}}
            """.utf8)
    }

    /// A record of the journal: no batches, then readings one by one.
    private static func record(_ readings: [(metric: Int, value: Double)]) -> [UInt8] {
        var writer = ByteWriter()
        writer.write(0)
        writer.write(readings.count)
        for reading in readings {
            writer.write(UInt8(0))
            writer.write("12")
            writer.write(start)
            writer.write(1)
            for number in [reading.metric, 0, 0] { writer.write(number) }
            writer.write(reading.value)
        }
        return writer.bytes
    }

    /// One unanswered alert for nine minutes under a threshold of this person's own, one acknowledged, one ended by hand.
    private static var participant: [UInt8] {
        var writer = ByteWriter()
        profile(&writer)
        alerts(&writer)
        let (then, level): (Int64, UInt8) = (start - 9 * minute, 2)
        writer.write(3)
        for place in [0, 1, 3] {
            writer.write(place)
            writer.write(level)
            for time in [then, then] { writer.write(time) }
        }
        writer.write(3)
        for (place, value) in [(0, 118.0), (1, 82), (3, 39)] {
            writer.write(place)
            for time in [start, start] { writer.write(time) }
            writer.write(value)
            writer.write(true)
            writer.write(0)
        }
        // No rings, windows, histories or qualities; the limits of all four thresholds there were.
        for _ in 0..<4 { writer.write(0) }
        writer.write(4)
        for (place, limit) in [105.0, 85, 0.5, 38].enumerated() {
            writer.write(place)
            writer.write(limit)
        }
        scores(&writer)
        return writer.bytes
    }

    private static func profile(_ writer: inout ByteWriter) {
        writer.write(Int64?.none)
        for flag in [false, false] { writer.write(flag) }
        writer.write(Double?.none)
        writer.write(false)
        writer.write(1)
        writer.write(0)
        writer.write(105.0)
        writer.write(1)
        writer.write(1)
        writer.write(String?.some("nurse"))
        for _ in 0..<2 { writer.write(String?.none) }
        writer.write(0)
    }

    private static func alerts(_ writer: inout ByteWriter) {
        // Phase, severity, acknowledged, flags, rearm, silence, stage.
        let states: [(place: Int, bytes: [UInt8], sequence: Int)] = [
            (0, [2, 2, 0, 0, 0, 0, 0], 2), (1, [2, 3, 3, 0, 0, 0, 0], 3), (3, [0, 0, 0, 0, 2, 0, 0], 4),
        ]
        writer.write(states.count)
        for state in states {
            writer.write(state.place)
            for byte in state.bytes { writer.write(byte) }
            writer.write(state.sequence)
            for time in [start - 9 * minute, start - 9 * minute, 0] { writer.write(time) }
        }
    }

    /// Eight values, never, and what was said of them.
    private static func scores(_ writer: inout ByteWriter) {
        writer.write(true)
        for _ in 0..<8 {
            writer.write(Double.nan)
            for _ in 0..<2 { writer.write(Int64.min) }
        }
        for _ in 0..<2 { writer.write(0) }
    }
}
