import MessageBus

/// Publishes batches: those of one topic one after the other in their order, so that a device's readings stay in theirs; different topics at once.
struct BatchLanes: Sendable {
    /// What became of batches; those in neither list stood behind one that was not taken.
    struct Outcome: Sendable {
        /// By their ids.
        var published: [String] = []
        var refused: [(entry: OutboxEntry, error: BusError)] = []
    }

    let publisher: any MessagePublisher

    /// Returns once the broker has them, or a lane has ended at what it did not take.
    /// - Parameter passesOver: returns whether a lane goes on behind a batch that was refused so.
    func publish(_ entries: [OutboxEntry], passesOver: @escaping @Sendable (BusError) -> Bool) async -> Outcome {
        await withTaskGroup(of: Outcome.self) { tasks in
            for lane in Dictionary(grouping: entries, by: \.topic).values {
                tasks.addTask { await run(lane, passesOver) }
            }
            return await tasks.reduce(into: Outcome()) { all, one in
                all.published += one.published
                all.refused += one.refused
            }
        }
    }

    private func run(_ lane: [OutboxEntry], _ passesOver: @Sendable (BusError) -> Bool) async -> Outcome {
        var outcome = Outcome()
        for entry in lane {
            do throws(BusError) {
                try await publisher.publish(entry.message)
                outcome.published.append(entry.id)
            } catch {
                outcome.refused.append((entry, error))
                if !passesOver(error) { return outcome }
            }
        }
        return outcome
    }
}
