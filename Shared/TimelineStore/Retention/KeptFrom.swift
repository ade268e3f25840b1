import Foundation
import VigilSchema

/// From when on the readings of each metric are kept. What is older is gone from the table of readings but stands in the rollups: such
/// a reading cannot be told from one that was counted already, so none is taken, and no such minute is counted anew.
struct KeptFrom {
    /// Microseconds since 1970, by the metric's number.
    private let moments: [Int32: Int64]

    /// Inside a transaction that writes it holds off a retention run until the end.
    init(_ connection: some SQLConnection) throws(StoreError) {
        let lock = type(of: connection).lockingClause.isEmpty ? "" : "FOR SHARE"
        var moments: [Int32: Int64] = [:]
        for row in try connection.rows("SELECT id, kept_from FROM metric WHERE kept_from IS NOT NULL \(lock)") {
            moments[Int32(truncatingIfNeeded: row.integer(0))] = row.integer(1)
        }
        self.moments = moments
    }

    func keeps(_ metric: Int32, at time: Int64) -> Bool { moments[metric].map { time >= $0 } ?? true }

    /// Whether a row is old enough that a rule, of two days at least, can reach it.
    static func concerns(_ prepared: Prepared) -> Bool {
        let yesterday = Timestamp(seconds: Date().timeIntervalSince1970).microseconds - RollupLevel.day.width
        return prepared.readings.contains { $0.identity.time < yesterday }
    }

    /// Rejects the readings that are older than what is kept.
    func reject(in prepared: inout Prepared) {
        guard !moments.isEmpty else { return }
        let gone = prepared.readings.filter { !keeps($0.identity.metric, at: $0.identity.time) }
        guard !gone.isEmpty else { return }
        prepared.readings.removeAll { !keeps($0.identity.metric, at: $0.identity.time) }
        for reading in gone { prepared.reject(reading.place, "it is older than what is kept of the metric") }
    }
}
