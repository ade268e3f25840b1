import Synchronization

/// The mappings in force, which change while ingest runs: files are read again, and bridges announce sensors. Threading: from anywhere.
package final class MappingRules: Sendable {
    private struct State {
        var files: MappingSet
        var discovered: DiscoveredSensors
        /// Those of the files, and behind them those that follow from announcements.
        var current: MappingSet
        var onChange: (@Sendable () -> Void)?

        mutating func rebuild() { current = files.with(discovered.mappings(beside: files)) }
    }

    private let state: Mutex<State>

    /// - Parameter prefix: The first level of the topics on which bridges announce sensors; nil where nobody listens for them.
    package init(_ mappings: MappingSet = MappingSet(), discoveryPrefix prefix: String? = nil) {
        state = Mutex(State(files: mappings, discovered: DiscoveredSensors(prefix: prefix), current: mappings))
    }

    /// The mappings now.
    package var current: MappingSet { state.withLock { $0.current } }

    /// The mappings of the files alone.
    package var files: MappingSet { state.withLock { $0.files } }

    /// The announced sensors, and what became of each.
    package var remarks: [DiscoveredSensors.Remark] { state.withLock { $0.discovered.remarks(beside: $0.files) } }

    /// The filters on which sensors are announced.
    package var announcements: [String] { state.withLock { $0.discovered.filters } }

    /// Called from now on, outside the lock, whenever the mappings have changed.
    package func onChange(_ action: @escaping @Sendable () -> Void) { state.withLock { $0.onChange = action } }

    /// Replaces those of the files.
    package func replace(with mappings: MappingSet) {
        change { state in
            state.files = mappings
            return true
        }
    }

    /// Takes note of announcements, all of a delivery's at once: each change has the mappings made anew.
    package func announce(_ messages: [(topic: String, payload: [UInt8])]) {
        change { state in
            messages.reduce(false) { state.discovered.announce($1.payload, topic: $1.topic) || $0 }
        }
    }

    /// Forgets the announced sensors that name a participant.
    /// - Returns: the topics on which they were announced.
    func forget(_ participant: String) -> [String] {
        var topics: [String] = []
        change { state in
            topics = state.discovered.announcements(naming: participant, people: state.files.people)
            state.discovered.forget(topics)
            return !topics.isEmpty
        }
        return topics
    }

    /// The topics on which sensors are announced that name a participant.
    func announcements(naming participant: String) -> [String] {
        state.withLock { $0.discovered.announcements(naming: participant, people: $0.files.people) }
    }

    private func change(_ action: (inout State) -> Bool) {
        let told = state.withLock { state -> (@Sendable () -> Void)? in
            guard action(&state) else { return nil }
            state.rebuild()
            return state.onChange
        }
        told?()
    }
}
