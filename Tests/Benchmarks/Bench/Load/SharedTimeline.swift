import TestSupport
import TimelineStore

/// The generated timeline that several questions are asked of, made when the first is.
actor SharedTimeline {
    private let rows: Int
    private var known: GeneratedTimeline?

    init(rows: Int) { self.rows = rows }

    func made() async throws -> GeneratedTimeline {
        if let known { return known }
        let timeline = try await GeneratedTimeline.make(rows: rows)
        known = timeline
        return timeline
    }

    /// Stops its server and removes its files.
    func close() async {
        await known?.store.close()
        known?.server.remove()
    }
}
