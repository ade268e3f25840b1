import SQLiteDatabase
package import ServiceKit
package import Signals

/// A person's settings and baseline, kept across restarts.
package struct StressProfile: Hashable, Sendable, Codable {
    /// The mode in which stress is computed; nil for the service's default.
    package var mode: StressMode?
    /// The person at rest; nil until a calibration succeeded.
    package var baseline: StressBaseline?
    /// The time of that, Unix seconds.
    package var calibratedAt: Double?
    /// Bounds given by hand for the base and built modes.
    package var bounds: StressBounds?

    /// Creates the profile of someone of whom nothing is known.
    package init() {}
}

extension StressProfile: EmptyInitializable {}

/// Where profiles are kept.
package protocol ProfileStore: Sendable {
    /// Everyone's, by participant.
    func all() async throws -> [String: StressProfile]
    /// Keeps a profile; it is durable when this returns.
    func save(_ profile: StressProfile, of participant: String) async throws
    /// Removes participants' profiles for good.
    func remove(_ participants: Set<String>) async throws
}

/// Stores profiles in the service's state file.
package struct SQLiteProfileStore: ProfileStore {
    private let state: ServiceState

    /// The state file's schema.
    package static let migrations = [
        Migration(
            1,
            """
            CREATE TABLE profiles (
                participant TEXT PRIMARY KEY, mode TEXT, calibrated_at REAL,
                heart_rate REAL, skin_conductance REAL, breathing_rate REAL, temperature REAL,
                heart_rate_low REAL, heart_rate_high REAL, skin_conductance_low REAL, skin_conductance_high REAL,
                breathing_rate_low REAL, breathing_rate_high REAL, temperature_low REAL, temperature_high REAL
            ) WITHOUT ROWID
            """)
    ]

    /// Profiles in this state.
    package init(_ state: ServiceState) { self.state = state }

    /// Everyone's, by participant.
    package func all() async throws -> [String: StressProfile] {
        try await state.read { database in
            let row = try database.statement("SELECT * FROM profiles")
            defer { row.reset() }
            var profiles: [String: StressProfile] = [:]
            while try row.step() { profiles[row.text(0)] = Self.profile(row) }
            return profiles
        }
    }

    /// Keeps a profile; it has reached the disk when this returns.
    package func save(_ profile: StressProfile, of participant: String) async throws {
        let values = Self.values(profile)
        try await state.transaction { database in
            let marks = Array(repeating: "?", count: values.count + 1).joined(separator: ", ")
            try database.run("INSERT OR REPLACE INTO profiles VALUES (\(marks))", [.text(participant)] + values)
        }
    }

    /// Removes participants' profiles, and overwrites them in the file and its log.
    package func remove(_ participants: Set<String>) async throws {
        guard !participants.isEmpty else { return }
        try await state.transaction { database in
            for participant in participants { try database.run("DELETE FROM profiles WHERE participant = ?", [.text(participant)]) }
        }
        try await state.wipe()
    }

    /// A profile under the names of its columns, without what is not known.
    static func object(_ profile: StressProfile) -> [String: Any] {
        let names =
            ["mode", "calibrated_at", "heart_rate", "skin_conductance", "breathing_rate", "temperature"]
            + ["heart_rate", "skin_conductance", "breathing_rate", "temperature"].flatMap { ["\($0)_low", "\($0)_high"] }
        return zip(names, values(profile)).reduce(into: [:]) { object, column in
            switch column.1 {
            case .text(let text): object[column.0] = text
            case .real(let number): object[column.0] = number
            default: break
            }
        }
    }

    private static func values(_ profile: StressProfile) -> [SQLiteValue] {
        let real = { (value: Double?) -> SQLiteValue in value.map { .real($0) } ?? .null }
        let range = { (range: ClosedRange<Double>?) -> [SQLiteValue] in [real(range?.lowerBound), real(range?.upperBound)] }
        let (baseline, bounds) = (profile.baseline, profile.bounds)
        return [profile.mode.map { .text($0.rawValue) } ?? .null, real(profile.calibratedAt)]
            + [baseline?.heartRate, baseline?.skinConductance, baseline?.breathingRate, baseline?.temperature].map(real)
            + [bounds?.heartRate, bounds?.skinConductance, bounds?.breathingRate, bounds?.temperature].flatMap(range)
    }

    private static func profile(_ row: Statement) -> StressProfile {
        let real = { (column: Int) in row.isNull(column) ? nil : row.real(column) }
        let range = { (column: Int) -> ClosedRange<Double>? in
            guard let low = real(column), let high = real(column + 1), low <= high else { return nil }
            return low...high
        }
        var profile = StressProfile()
        profile.mode = row.isNull(1) ? nil : StressMode(rawValue: row.text(1))
        profile.calibratedAt = real(2)
        if profile.calibratedAt != nil {
            profile.baseline = StressBaseline(heartRate: real(3), skinConductance: real(4), breathingRate: real(5), temperature: real(6))
        }
        let bounds = StressBounds(heartRate: range(7), skinConductance: range(9), breathingRate: range(11), temperature: range(13))
        profile.bounds = bounds == StressBounds() ? nil : bounds
        return profile
    }
}
