import MessageBus
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
    private let kept: KeptAnnouncements?

    /// - Parameters:
    ///   - prefix: The first level of the topics on which bridges announce sensors; nil where nobody listens for them.
    ///   - kept: What was announced before, which is in force from the beginning, and where it is kept from now on.
    package init(_ mappings: MappingSet = MappingSet(), discoveryPrefix prefix: String? = nil, kept: KeptAnnouncements? = nil) {
        state = Mutex(State(files: mappings, discovered: DiscoveredSensors(prefix: prefix), current: mappings))
        self.kept = kept
        guard let kept else { return }
        guard prefix != nil else {
            kept.remove()
            return
        }
        let former = kept.load(), filters = announcements
        guard !former.isEmpty else { return }
        announce(former.filter { former in filters.contains { TopicFilter.matches($0, former.topic) } })
        // What is listened for no more may name somebody.
        keep()
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
        let hasChanged = change { state in
            messages.reduce(false) { state.discovered.announce($1.payload, topic: $1.topic) || $0 }
        }
        if hasChanged { keep() }
    }

    /// Forgets the announced sensors that name a participant.
    /// - Returns: the topics on which they were announced.
    func forget(_ participant: String) -> [String] {
        var topics: [String] = []
        let hasChanged = change { state in
            topics = state.discovered.announcements(naming: participant, people: state.files.people)
            state.discovered.forget(topics)
            return !topics.isEmpty
        }
        if hasChanged { keep() }
        return topics
    }

    /// The topics on which sensors are announced that name a participant.
    func announcements(naming participant: String) -> [String] {
        state.withLock { $0.discovered.announcements(naming: participant, people: $0.files.people) }
    }

    /// Puts what is announced on disk, before the announcements are acknowledged.
    private func keep() { kept?.keep { state.withLock { $0.discovered.payloads } } }

    /// Returns whether there was a change.
    @discardableResult
    private func change(_ action: (inout State) -> Bool) -> Bool {
        let (hasChanged, told) = state.withLock { state -> (Bool, (@Sendable () -> Void)?) in
            guard action(&state) else { return (false, nil) }
            state.rebuild()
            return (true, state.onChange)
        }
        told?()
        return hasChanged
    }
}
