import TestSupport
import TimelineStore

/// The generated timeline that several questions are asked of, made when the first is.
actor SharedTimeline {
    private let rows: Int
    private let database: String?
    private var known: GeneratedTimeline?

    /// - Parameter database: where it shall be kept for another time; nil: in a server of its own that goes with it.
    init(rows: Int, database: String?) {
        self.rows = rows
        self.database = database
    }

    func made() async throws -> GeneratedTimeline {
        if let known { return known }
        let timeline = try await GeneratedTimeline.make(rows: rows, database: database)
        known = timeline
        return timeline
    }

    /// Stops its server and removes its files, where it has one of its own.
    func close() async {
        await known?.store.close()
        known?.server?.remove()
    }
}
