import Foundation
import MessageBus
import SQLiteDatabase
import ServiceKit
import TestSupport
import Testing
import VigilSchema

@testable import HealthModules

@Suite("What tells readings and findings of one time apart")
struct IdentityTests {
    private static let midnight = 1_795_305_600.0

    /// Steps of a day, and of nine of its hours, by one device.
    private static func steps(_ interval: Int32) -> ObservationGroup {
        let values: [(Double, Double)] = interval == 3600 ? (0..<9).map { (midnight + Double($0) * 3600, 1000) } : [(midnight, 9000)]
        return ObservationGroup(
            participant: "anna", source: "watch", received: Timestamp(seconds: HostFixture.start + Double(interval)),
            observations: values.map {
                Observation(
                    metric: "steps", time: Timestamp(seconds: $0.0), interval: interval, content: .value($0.1), unit: "{steps}")
            })
    }

    @Test("a day's steps and its hours' are one day's steps, in any order", arguments: [[86_400, 3600], [3600, 86_400]] as [[Int32]])
    func daysAndHours(_ intervals: [Int32]) async throws {
        let fixture = try HostFixture()
        for interval in intervals + intervals { try await fixture.take(Self.steps(interval)) }
        #expect(try await fixture.findings("sleep-activity")["steps-today"] == .number(9000))
    }

    @Test("what an earlier version kept without intervals is read again, and counted once")
    func upgrade() async throws {
        let folder = try TemporaryFolder("modules-upgrade")
        let path = folder.path("state.sqlite")
        do {
            let former = try ServiceState(path: path, migrations: Array(ModuleState.migrations.prefix(2)), durability: .normal)
            try await former.transaction { database in
                try database.execute(
                    """
                    INSERT INTO person (id, name, synced, refresh) VALUES (1, 'anna', 1, 9e9);
                    INSERT INTO metric VALUES (1, 'steps');
                    """)
                // The day's total took the place of the first hour.
                for hour in 0..<9 {
                    let time = Int64((Self.midnight + Double(hour) * 3600) * 1_000_000)
                    try database.run(
                        "INSERT INTO reading VALUES (1, 1, ?, 'watch', 0, ?, NULL, NULL, 0)",
                        [.integer(time), .real(hour == 0 ? 9000 : 1000)])
                }
            }
        }
        let fixture = try HostFixture(folder: folder)
        #expect(try await fixture.state.nextRefresh(before: HostFixture.start)?.isSynced == false)
        try await fixture.take(Self.steps(86_400), Self.steps(3600), isHistory: true)
        fixture.clock.now += 400
        #expect(try await fixture.findings("sleep-activity")["steps-today"] == .number(9000))
        #expect(try await fixture.rows("SELECT count(*) FROM reading") == 10)
    }

    /// The observations that were handed to the timeline, by their identity.
    private static func told(_ fixture: HostFixture) throws -> [[String]] {
        try fixture.publisher.messages.filter { $0.topic.contains("/observations/") || $0.topic.contains("/history/") }.flatMap { message in
            try BatchDecoder().decode(message.payload.span).groups.flatMap { group in
                group.observations.map { [$0.metric, "\($0.time.microseconds)", "\($0.sequence)", "\($0.content)"] }
            }
        }
    }

    @Test("two results of one blood draw that are abnormal are both told of, each with an identity of its own, and once")
    func results() async throws {
        let fixture = try HostFixture()
        let group = { (metric: String, value: Double, unit: String) in
            HostFixture.group(metric, [(-100, value)], source: "laboratory", unit: unit)
        }
        try await fixture.take(group("serum-potassium", 6.0, "mmol/L"), group("haemoglobin", 9, "g/dL"))
        try await fixture.change("UPDATE person SET profile = '{\"birthDate\":\"1980-06-15\",\"sex\":\"female\"}'")
        _ = try await fixture.findings("medical-tests")
        let flags = try Self.told(fixture).filter { $0[0] == "test-result-flag" }
        #expect(flags.count == 2 && Set(flags.map { $0[0...2] }).count == 2)
        try await fixture.take(HostFixture.group("haemoglobin", [(-50, 9)], source: "laboratory", unit: "g/dL"))
        _ = try await fixture.findings("medical-tests")
        #expect(try Self.told(fixture).count { $0[0] == "test-result-flag" && $0[3].contains("potassium") } == 1)
    }

    @Test("of what an earlier version told with one identity, only those that it lost are told again")
    func formerly() async throws {
        let fixture = try HostFixture()
        try await fixture.take(HostFixture.group("serum-potassium", [(-100, 6.0)], source: "laboratory", unit: "mmol/L"))
        try await fixture.take(HostFixture.group("haemoglobin", [(-100, 9)], source: "laboratory", unit: "g/dL"))
        try await fixture.change("UPDATE person SET profile = '{\"birthDate\":\"1980-06-15\",\"sex\":\"female\"}'")
        _ = try await fixture.findings("medical-tests")
        try await fixture.change(
            """
            UPDATE result SET result = json_set(result, '$.observations', json((
                SELECT json_group_array(json_remove(value, '$.sequence')) FROM json_each(result, '$.observations'))))
            WHERE module = 'medical-tests'
            """)
        let before = try Self.told(fixture).count { $0[0] == "test-result-flag" }
        // Something that changes nothing of them makes the module say all of it again.
        try await fixture.take(HostFixture.group("serum-sodium", [(-90, 140)], source: "laboratory", unit: "mmol/L"))
        _ = try await fixture.findings("medical-tests")
        #expect(try Self.told(fixture).count { $0[0] == "test-result-flag" } == before + 1)
    }

    @Test("two medications missed at one time are both told of")
    func medications() throws {
        var person = PersonFixture()
        person.settings["medication.plan"] = .text("metformin 08:00; ramipril 08:00")
        for name in ["metformin", "ramipril"] {
            person.add("medication-dose", text: name, at: PersonFixture.noon - 86_400 - 4 * 3600)
        }
        let missed = try person.evaluate(MedicationModule(), at: PersonFixture.noon + 1800).observations.filter {
            $0.metric == "medication-missed"
        }
        #expect(missed.map(\.text).sorted { ($0 ?? "") < ($1 ?? "") } == ["metformin", "ramipril"])
        #expect(Set(missed.map { [$0.time, Double($0.sequence ?? 0)] }).count == 2)
    }

    @Test("one measured resting rate long ago does not keep today's from being estimated")
    func resting() {
        var rates: [NumberReading] = []
        for minute in 0..<7 * 400 {
            let (day, second) = (minute / 400, minute % 400 * 60)
            rates.append(NumberReading(time: Double(day * 86_400 + second), value: 60 + Double(minute % 20), day: day, second: second))
        }
        let once = [NumberReading(time: -1e7, value: 50, day: -120, second: 0)]
        let estimated = RestingRate(measured: once, rates: rates, today: 6)
        #expect(!estimated.isMeasured && estimated.days.map(\.day) == Array(0...6) && estimated.measuredDays == [-120])
        let often = (4...6).map { NumberReading(time: Double($0) * 86_400, value: 51, day: $0, second: 0) }
        #expect(RestingRate(measured: once + often, rates: rates, today: 6).isMeasured)
        #expect(RestingRate(measured: once, rates: [], today: 6).days.map(\.value) == [50])
        #expect(RestingRate(measured: [], rates: [], today: 6).days.isEmpty)
    }
}

extension HostFixture {
    /// The number that a query of the state gives.
    fileprivate func rows(_ sql: String) async throws -> Int64? {
        try await state.state.read { try StateTables(database: $0).first(sql) { $0.integer(0) } }
    }

    /// Changes the state behind the host's back.
    fileprivate func change(_ sql: String) async throws { try await state.state.transaction { try $0.execute(sql) } }
}
