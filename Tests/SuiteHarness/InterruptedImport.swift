import Foundation
package import TestSupport

/// An import that is killed again and again, and started again after each kill, beside one that nothing disturbs.
package struct InterruptedImport: Sendable {
    /// What to import, in a way that takes a few thousand readings at least.
    package let file: String
    /// How many readings the file holds.
    package let readings: Int
    /// How often it is killed, at random places of the file.
    package let kills: Int
    /// Which kind of store is written.
    package let store: StoreUnderTest.Kind

    package init(file: String, readings: Int, kills: Int, store: StoreUnderTest.Kind) {
        self.file = file
        self.readings = readings
        self.kills = kills
        self.store = store
    }

    /// What the two stores hold.
    package struct Outcome: Sendable {
        /// Readings of the interrupted import.
        package let stored: Int
        /// Readings that only one of the two stores has.
        package let different: Int
        /// How much was stored when the importer was killed.
        package let killedAt: [Int]
        /// What `vigil-import` ended with at last, and without a disturbance.
        package let exitCodes: [Int32]
    }

    /// Carries both out, through a broker and a timeline each.
    /// - Parameter server: makes a PostgreSQL where that is the kind of store.
    package func run(server: @autoclosure () throws -> PostgresServer) async throws -> Outcome {
        let disturbed = try await ImportTarget(store, server: server()), quiet = try await ImportTarget(store, server: server())
        var killedAt: [Int] = []
        for goal in (0..<kills).map({ _ in Int.random(in: 0..<readings) }).sorted() {
            let child = try disturbed.importer([file])
            try await eventually(within: .seconds(120), "\(goal) readings stored") { disturbed.stored >= goal || child.hasEnded }
            child.signal(SIGKILL)
            _ = try await child.waitForExit(within: .seconds(10))
            killedAt.append(disturbed.stored)
        }
        let exitCodes = [try await finish(disturbed), try await finish(quiet)]
        let rows = try await disturbed.readings(), expected = try await quiet.readings()
        try await disturbed.stop()
        try await quiet.stop()
        return Outcome(
            stored: rows.count, different: rows.symmetricDifference(expected).count, killedAt: killedAt, exitCodes: exitCodes)
    }

    private func finish(_ target: ImportTarget) async throws -> Int32 {
        try await target.importer([file]).waitForExit(within: .seconds(900))
    }
}
