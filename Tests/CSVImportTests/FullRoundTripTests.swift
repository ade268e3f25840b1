import Foundation
import SuiteHarness
import TestSupport
import Testing
import TimelineStore
import VigilSchema

@testable import Timeline

/// Export, erase, import: with the commands that people use, and the database compared before and after, table by table.
@Suite("An erased person comes back from a complete export", .serialized, .timeLimit(.minutes(30)))
struct FullRoundTripTests {
    /// The forms of an export.
    enum Form: String, CaseIterable {
        case csv, json, fhir, sealed
    }

    private static let person = "p_1"
    private static let start = 1_711_360_800_123_456 as Int64

    @Test(
        "CSV, JSON, FHIR and sealed, in both stores: readings, waveforms, corrections, sessions, zones, entries, profile, alerts, rollups",
        arguments: StoreUnderTest.Kind.allCases, Form.allCases)
    func complete(kind: StoreUnderTest.Kind, form: Form) async throws {
        let folder = try TemporaryFolder("vigil-round")
        let place = try StoreUnderTest.make(kind, in: folder, server: PostgresServer.shared())
        let store = try #require(StoreAddress(place.setting())).store(password: nil)
        try await Self.fill(store)
        let before = try await Self.dump(place)
        #expect(
            before.count > 60
                && ["profile", "alert", "entry", "correction", "session", "clock"].allSatisfy { kind in
                    before.contains { $0.hasPrefix(kind + " ") }
                })

        try folder.write("correct horse\n", to: "secret")
        let file = folder.path("export.\(form.rawValue)")
        let sealing = form == .sealed ? ["--passphrase-file", folder.path("secret")] : []
        let format = try #require(ExportFormat(rawValue: form == .sealed ? "csv" : form.rawValue))
        try await TimelineExport(
            store: store, participant: Self.person, metric: nil, range: ExportSource.always, format: format, isComplete: true
        ).write(to: file, passphrase: form == .sealed ? "correct horse" : nil)
        _ = try await store.erase(participant: Self.person)
        #expect(try await Self.dump(place).contains { $0.contains(Self.person) } == false)

        let importing = [file, "--store", place.setting(), "--state-folder", folder.path("state")]
        try await Self.run("vigil-import", importing + sealing, folder)
        let after = try await Self.dump(place)
        #expect(before.subtracting(after) == [] && after.subtracting(before) == [])

        // Once more changes nothing.
        try await Self.run("vigil-import", importing + sealing + ["--again"], folder)
        #expect(try await Self.dump(place) == before)
        await store.close()
    }

    @Test("over the broker too")
    func bus() async throws {
        let suite = try await ImportTarget(.sqlite, server: PostgresServer.shared())
        let store = try #require(StoreAddress(suite.store.setting())).store(password: nil)
        try await Self.fill(store)
        let before = try await Self.dump(suite.store)
        let file = suite.folder.path("export.json")
        try await TimelineExport(
            store: store, participant: Self.person, metric: nil, range: ExportSource.always, format: .json, isComplete: true
        ).write(to: file)
        _ = try await store.erase(participant: Self.person)
        let child = try suite.importer([file])
        #expect(try await child.waitForExit(within: .seconds(300)) == 0, "\(child.output)")
        let after = try await Self.dump(suite.store)
        #expect(before.subtracting(after) == [] && after.subtracting(before) == [])
        await store.close()
        try await suite.stop()
    }

    private static func run(_ command: String, _ arguments: [String], _ folder: TemporaryFolder) async throws {
        let child = try ChildProcess(
            try BuiltCommand.path(command), arguments, output: folder.path("\(command)-\(UUID().uuidString).log"))
        #expect(try await child.waitForExit(within: .seconds(300)) == 0, "\(command): \(child.output)")
    }

    // MARK: Content

    private static func fill(_ store: any TimelineStore) async throws {
        func observation(
            _ metric: String, _ content: Observation.Content, _ unit: String, at offset: Double = 0, sequence: Int32 = 0,
            interval: Int32 = 0, zone: Int16? = nil
        ) -> Observation {
            Observation(
                metric: metric, time: Timestamp(microseconds: start).advanced(bySeconds: offset), sequence: sequence, interval: interval,
                content: content, unit: unit, zone: zone)
        }
        let first = [
            observation("heart-rate", .value(61.5), "/min", zone: 120),
            observation("heart-rate", .value(62), "/min", sequence: 3, zone: -330),
            observation("heart-rate", .value(63), "/min", at: 60, zone: 0),
            observation("systolic-pressure", .value(121), "mm[Hg]"), observation("diastolic-pressure", .value(79), "mm[Hg]"),
            observation("systolic-pressure", .value(131), "mm[Hg]", at: 5), observation("steps", .value(8000), "{steps}", interval: 86_400),
            observation("steps", .value(500), "{steps}", interval: 3600), observation("note", .text("=1+1, \"quoted\"\nline ''"), "1"),
            observation("note", .text("'=apostrophe\r\n@"), "1", at: 1), observation("note", .text("  spaces  "), "1", at: 2),
            observation("odd-metric", .value(-7.25e-11), "a unit, odd"), observation("body-temperature", .value(36.6), "Cel", at: -2e9),
            observation("blood-glucose", .text("<40"), "mg/dL"), observation("blood-glucose", .text("≥ 400.0"), "mg/dL", at: 300),
            observation("blood-glucose", .text("High"), "mg/dL", at: 600), observation("consciousness", .text("alert"), "1"),
            // Longer than ten minutes, with a distance that is no whole number of milliseconds.
            observation("ecg", .samples((0..<1000).map { Double($0 % 7) / 8 }, period: 1 / 1.3), "mV", sequence: 2, zone: 60),
            observation("ecg", .samples([0.1, -0.25, 3], period: 1 / 97), "mV", at: 2000),
        ]
        func batch(_ groups: ObservationGroup..., origin: String? = nil) async throws {
            _ = try await store.append([ObservationBatch(id: "b\(UUID().uuidString)", origin: origin, groups: groups)])
        }
        func group(
            _ observations: [Observation], _ person: String = person, _ source: String = "=belt", _ session: String? = nil, at: Double
        )
            -> ObservationGroup
        {
            ObservationGroup(
                participant: person, source: source, session: session, received: Timestamp(seconds: 1_711_400_000 + at),
                observations: observations)
        }
        try await batch(
            group(first, at: 0.5), group([observation("heart-rate", .value(60), "/min")], "p_1", "p_1-watch", "05", at: 1),
            group([observation("heart-rate", .value(59), "/min")], "p_1", "a|b", "night", at: 2), origin: "live")
        try await batch(group([observation("heart-rate", .value(90), "/min", zone: 120)], "other", "watch", "05", at: 1))
        // Corrections: twice of one reading, a number by a text, a day's steps, a block.
        try await batch(group([observation("heart-rate", .value(65), "/min", zone: 120)], at: 100))
        try await batch(
            group(
                [
                    observation("heart-rate", .value(61.5), "/min", zone: 60),
                    observation("steps", .value(8100), "{steps}", interval: 86_400),
                    observation("blood-glucose", .value(41), "mg/dL"),
                    observation("ecg", .samples([1, 2], period: 0.004), "mV", at: 2000),
                ], "p_1", "=belt", "late", at: 200))
        try await store.setProfile(
            ParticipantProfile(
                first: "Ädä", last: "=Lovelace", pseudonym: "A", birthDate: "1980-05-01", sex: .female, timeZone: "Europe/Berlin",
                height: 170.5, isPregnant: false, group: "north", order: 3, modules: ["weight"]), participant: person)
        for (index, kind) in TimelineEntry.Kind.allCases.enumerated() {
            try await store.post(
                TimelineEntry(
                    id: "e\(index)", kind: kind, time: Timestamp(seconds: 1_327_899_600 + Double(index)),
                    ends: index % 2 == 0 ? Timestamp(seconds: 1_400_000_000.25) : nil, description: "Entry, \"\(kind.rawValue)\"\n2",
                    value: kind == .result ? 5.5 : nil, text: kind == .condition ? "Positive" : nil, unit: "mmol/L",
                    codes: ["ICD-10-CM": ["J45", "x y"], "own list": ["z"]], detail: "10 mg"), participant: person,
                received: Timestamp(seconds: 1_500_000_000.75 + Double(index)), origin: nil)
        }
        var alert = AlertMessage(
            participant: person, rule: "high-pulse", sequence: 1, transition: "raised", cause: "reading", time: 1_711_360_900.5,
            decided: 1_711_360_901, state: "active", severity: "critical", priority: "high", kind: "medical", group: "heart",
            since: 1_711_360_900.5, title: ["en": "High", "de": "Hoch"], message: ["en": "190 /min"])
        (alert.metric, alert.value, alert.threshold, alert.zone) = ("heart-rate", 190, 180, 120)
        var ended = alert
        (ended.sequence, ended.transition, ended.state, ended.time) = (2, "cleared", "none", 1_711_361_000)
        _ = try await store.append(alerts: [alert, ended])
    }

    // MARK: Dump

    /// Every row of every table of what is kept of people, with names in place of numbers. Which import brought a row is left out.
    private static func dump(_ place: StoreUnderTest) async throws -> Set<String> {
        let names = "JOIN participant p ON p.id = t.participant"
        let series = "\(names) JOIN metric m ON m.id = t.metric JOIN source s ON s.id = t.source"
        let session = "LEFT JOIN session e ON e.id = t.session"
        let identity = ["p.name", "m.name", "m.unit", "s.name", "s.period", "t.time"]
        let bytes: String
        switch place {
        case .sqlite: bytes = "hex(t.samples)"
        case .postgres: bytes = "encode(t.samples, 'hex')"
        }
        var queries: [(String, [String], String)] = [
            ("reading", identity + ["t.seq", "t.value", "t.text", "t.received", "e.name", "t.zone"], "\(series) \(session)"),
            (
                "waveform",
                identity + ["t.seq", "t.ends", "t.period", "t.count", "t.min", "t.max", bytes, "t.received", "e.name", "t.zone"],
                "\(series) \(session)"
            ),
            (
                "correction",
                identity + ["t.seq", "t.value", "t.text", "t.period", "t.count", bytes, "t.received", "e.name", "t.zone", "t.replaced"],
                "\(series) \(session)"
            ),
            ("session", ["p.name", "t.name", "t.first_time", "t.last_time"], names),
            (
                "profile",
                [
                    "p.name", "t.first", "t.last", "t.pseudonym", "t.birth_date", "t.sex", "t.time_zone", "t.height", "t.is_pregnant",
                    "t.family",
                    "t.position", "t.modules",
                ], names
            ),
            (
                "entry",
                [
                    "p.name", "t.id", "t.kind", "t.time", "t.ends", "t.description", "t.value", "t.text", "t.unit", "t.codes", "t.detail",
                    "t.received",
                ], names
            ),
            ("alert_event", ["p.name", "t.id", "t.time", "t.state", "t.detail"], names),
            ("wearer_clock", ["p.name", "t.since", "t.minutes"], names),
        ]
        for level in ["minute", "hour", "day"] {
            let columns = ["t.count", "t.sum", "t.min", "t.max", "t.first", "t.first_time", "t.first_seq", "t.last", "t.last_time"]
            queries.append(("rollup_\(level)", identity + columns, series))
        }
        var lines: Set<String> = []
        for (table, columns, join) in queries {
            let row = columns.map { "coalesce(CAST(\($0) AS text), '~')" }.joined(separator: " || ' ; ' || ")
            let name = table.replacing("alert_event", with: "alert").replacing("wearer_clock", with: "clock")
            // A text may hold line breaks.
            let text = "replace(replace(\(row), char_10, '^J'), char_13, '^M')"
            let sql: String
            switch place {
            case .sqlite: sql = text.replacing("char_10", with: "char(10)").replacing("char_13", with: "char(13)")
            case .postgres: sql = text.replacing("char_10", with: "chr(10)").replacing("char_13", with: "chr(13)")
            }
            for line in try await place.lines("SELECT \(sql) FROM \(table) t \(join)") where !line.hasPrefix("_module.") {
                // Services tell of themselves too.
                lines.insert("\(name) \(line)")
            }
        }
        return lines
    }
}
