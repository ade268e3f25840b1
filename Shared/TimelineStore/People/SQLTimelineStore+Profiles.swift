import Foundation
package import VigilSchema

extension SQLTimelineStore {
    package func setProfile(_ profile: ParticipantProfile, participant: String) async throws(StoreError) {
        let modules = try profile.modules.map { modules throws(StoreError) in try StoredJSON.text(modules) }
        try await write { connection throws(StoreError) in
            var dimensions = DimensionCache()
            let number = try dimensions.participant(participant, on: connection)
            try connection.run("DELETE FROM profile WHERE participant = $1", [.integer(Int64(number))])
            try connection.run(
                "INSERT INTO profile (participant, \(profileColumns)) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
                [
                    .integer(Int64(number)), .optional(profile.first), .optional(profile.last), .optional(profile.pseudonym),
                    .optional(profile.birthDate), .optional(profile.sex?.rawValue), .optional(profile.timeZone),
                    .optional(profile.height), .optional(profile.isPregnant.map { $0 ? 1 : 0 }), .optional(profile.group),
                    .optional(profile.order), .optional(modules),
                ])
            try WearerClock.write(profile.timeZone, of: Int64(number), on: connection)
        }
    }

    package func profile(participant: String) async throws(StoreError) -> ParticipantProfile? {
        try await read { connection throws(StoreError) in
            guard let number = try Lookup(connection: connection).participant(participant),
                let row = try connection.rows("SELECT \(profileColumns) FROM profile WHERE participant = $1", [.integer(number)]).first
            else { return nil }
            return try ParticipantProfile(row)
        }
    }

    package func people() async throws(StoreError) -> [KnownPerson] {
        try await read { connection throws(StoreError) in
            let rows = try connection.rows(
                "SELECT \(profileColumns), name FROM participant p LEFT JOIN profile f ON f.participant = p.id")
            return try rows.map { row throws(StoreError) in
                KnownPerson(participant: row.text(11), profile: try ParticipantProfile(row))
            }.sorted { $0.participant < $1.participant }
        }
    }
}

extension ParticipantProfile {
    /// From the columns of `profileColumns`.
    fileprivate init(_ row: SQLRow) throws(StoreError) {
        let modules: [String]? = try row.optionalText(10).map { text throws(StoreError) in try StoredJSON.value(text) }
        self.init(
            first: row.optionalText(0), last: row.optionalText(1), pseudonym: row.optionalText(2), birthDate: row.optionalText(3),
            sex: row.optionalText(4).flatMap(ParticipantProfile.Sex.init), timeZone: row.optionalText(5), height: row.optionalReal(6),
            isPregnant: row.optionalInteger(7).map { $0 != 0 }, group: row.optionalText(8), order: row.optionalInteger(9).map(Int.init),
            modules: modules)
    }
}

private let profileColumns =
    "first, last, pseudonym, birth_date, sex, time_zone, height, is_pregnant, family, position, modules"

/// Writes down how far a participant's clock is from UTC, and from when on, so that the view `daily` can tell the wearer's days in both databases.
enum WearerClock {
    /// From 1970 to 2100: what lies before and after has the same offset as the nearest.
    private static let years = Date(timeIntervalSince1970: 0)...Date(timeIntervalSince1970: 4_102_444_800)

    static func write(_ zone: String?, of participant: Int64, on connection: any SQLConnection) throws(StoreError) {
        try connection.run("DELETE FROM wearer_clock WHERE participant = $1", [.integer(participant)])
        guard let zone = zone.flatMap({ TimeZone(identifier: $0) }) else { return }
        for (since, minutes) in offsets(of: zone) {
            try connection.run(
                "INSERT INTO wearer_clock (participant, since, minutes) VALUES ($1, $2, $3)",
                [.integer(participant), .time(since), .integer(minutes)])
        }
    }

    /// Writes it for profiles that came before the table.
    static func complete(on connection: any SQLConnection) throws(StoreError) {
        let rows = try connection.rows(
            """
            SELECT participant, time_zone FROM profile f
            WHERE time_zone IS NOT NULL AND NOT EXISTS (SELECT 1 FROM wearer_clock w WHERE w.participant = f.participant)
            """)
        for row in rows { try write(row.text(1), of: row.integer(0), on: connection) }
    }

    private static func offsets(of zone: TimeZone) -> [(since: Timestamp, minutes: Int64)] {
        func minutes(_ date: Date) -> Int64 { Int64(zone.secondsFromGMT(for: date) / 60) }
        var offsets = [(Timestamp(microseconds: RetentionSQL.earliest), minutes(years.lowerBound))]
        var date = years.lowerBound
        while let next = zone.nextDaylightSavingTimeTransition(after: date), next > date, next < years.upperBound {
            offsets.append((Timestamp(seconds: next.timeIntervalSince1970.rounded()), minutes(next)))
            date = next
        }
        return offsets
    }
}
