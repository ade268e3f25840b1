import Foundation
package import Shares
package import TimelineStore
import VigilSchema

/// A share's profiles in PostgreSQL, and what its last owner left for the next. Everything is written under the share's lease.
package struct PostgresStressState: ProfileStore {
    /// What there is of a share when it is claimed.
    package struct Found: Sendable {
        package var profiles: [String: StressProfile] = [:]
        /// The engine of the owner before; nil where that one left nothing, as after a crash.
        package var handOver: EngineSnapshot?
    }

    /// The tables' schema, whose name is also that of the role with the least rights.
    package static let schema = PostgresState.Schema(name: "vigil_stress", migrations: [PostgresLeases.schema + tables])

    private static let tables = """
        CREATE TABLE profile (participant text PRIMARY KEY, share integer NOT NULL, content text NOT NULL);
        CREATE INDEX profile_of ON profile (share);
        COMMENT ON TABLE profile IS 'A participant''s settings and baseline, as JSON.';
        CREATE TABLE hand_over (share integer PRIMARY KEY, epoch bigint NOT NULL);
        COMMENT ON TABLE hand_over IS 'The owner, by the epoch of the lease, that gave the share up and left its analysis.';
        CREATE TABLE analysis (participant text PRIMARY KEY, share integer NOT NULL, content bytea NOT NULL);
        CREATE INDEX analysis_of ON analysis (share);
        COMMENT ON TABLE analysis IS 'The analysis of a participant while nobody owns the share.';

        """

    package let hold: LeaseHold
    private let state: PostgresState
    private let share: Share
    private var number: SQLValue { .integer(Int64(share.number)) }

    package init(_ state: PostgresState, share: Share, hold: LeaseHold) { (self.state, self.share, self.hold) = (state, share, hold) }

    /// Loads everything; what was left for the next owner is this one's from then on, and gone.
    package func open() async throws -> Found {
        let (number, former) = (number, hold.epoch - 1)
        return try await state.transaction(holding: hold) { connection throws(StoreError) in
            var found = Found(profiles: Self.profiles(try connection.rows(Self.selectProfiles, [number])))
            let left = try connection.rows("DELETE FROM hand_over WHERE share = $1 RETURNING epoch", [number]).first?.integer(0)
            let rows = try connection.rows("DELETE FROM analysis WHERE share = $1 RETURNING participant, content", [number])
            if left == former {
                found.handOver = EngineSnapshot(people: Dictionary(rows.map { ($0.text(0), $0.blob(1)) }, uniquingKeysWith: { $1 }))
            }
            return found
        }
    }

    /// Leaves the analysis to the next owner.
    package func handOver(_ snapshot: EngineSnapshot) async throws {
        let rows = snapshot.people.map { name, content in
            SQLStatement("INSERT INTO analysis VALUES ($1, $2, $3)", [.text(name), number, .blob(content)])
        }
        let mark = SQLStatement(
            "INSERT INTO hand_over VALUES ($1, $2) ON CONFLICT (share) DO UPDATE SET epoch = excluded.epoch",
            [number, .integer(hold.epoch)])
        try await state.commit([SQLStatement("DELETE FROM analysis WHERE share = $1", [number])] + rows + [mark], holding: hold)
    }

    // MARK: - Profiles

    package func all() async throws -> [String: StressProfile] {
        let number = number
        return try await state.transaction { connection throws(StoreError) in
            Self.profiles(try connection.rows(Self.selectProfiles, [number]))
        }
    }

    package func save(_ profile: StressProfile, of participant: String) async throws {
        let sql = "\(Self.insertion) UPDATE SET share = excluded.share, content = excluded.content"
        try await state.commit([SQLStatement(sql, try Self.row(profile, of: participant, number))], holding: hold)
    }

    package func remove(_ participants: Set<String>) async throws {
        guard !participants.isEmpty else { return }
        let removals = participants.flatMap { name in
            ["profile", "analysis"].map { SQLStatement("DELETE FROM \($0) WHERE participant = $1", [.text(name)]) }
        }
        try await state.commit(removals, holding: hold)
    }

    /// Takes over the profiles that one process had kept in its file, where the participants have none yet.
    static func adopt(_ profiles: [String: StressProfile], shares: Int, into state: PostgresState) async throws {
        let rows = try profiles.map { name, profile in
            try row(profile, of: name, .integer(Int64(Int(Partition(participant: name).number) % shares)))
        }
        try await state.transaction { connection throws(StoreError) in
            for row in rows { try connection.run("\(insertion) NOTHING", row) }
        }
    }

    private static let insertion = "INSERT INTO profile VALUES ($1, $2, $3) ON CONFLICT (participant) DO"
    private static let selectProfiles = "SELECT participant, content FROM profile WHERE share = $1"

    private static func profiles(_ rows: [SQLRow]) -> [String: StressProfile] {
        let decoder = JSONDecoder()
        return rows.reduce(into: [:]) { profiles, row in
            profiles[row.text(0)] = try? decoder.decode(StressProfile.self, from: Data(row.text(1).utf8))
        }
    }

    private static func row(_ profile: StressProfile, of name: String, _ share: SQLValue) throws -> [SQLValue] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return [.text(name), share, .text(String(decoding: try encoder.encode(profile), as: UTF8.self))]
    }
}
