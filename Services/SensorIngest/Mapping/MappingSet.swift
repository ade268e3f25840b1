import Synchronization
package import VigilSchema

/// The mappings that are in force.
package struct MappingSet: Sendable {
    package let mappings: [Mapping]
    private let index: TopicIndex

    /// Those that take every known name come last, whatever their file.
    package init(_ mappings: [Mapping] = []) {
        self.mappings = mappings.filter { !$0.takesKnownNames } + mappings.filter(\.takesKnownNames)
        index = TopicIndex(self.mappings)
    }

    /// The topic filters to subscribe to, those below ingest's own left out.
    package var filters: [String] {
        var seen: Set<String> = []
        return mappings.flatMap { $0.topics.map(\.filter) }.filter { !$0.hasPrefix("vigil/v1/ingest/") && seen.insert($0).inserted }
    }

    /// The readings of a message, by the first mapping that matches it.
    /// - Parameter isFallback: True where another format has refused it already: then a payload that no mapping can read is none of theirs.
    /// - Returns: Nil where no mapping's topics and conditions fit.
    package func read(
        _ payload: [UInt8], topic: String, received: Timestamp, isFallback: Bool = false
    ) throws(PayloadError) -> [MappedReadings]? {
        var parsed: [(format: MappingFormat, value: MappingValue)] = []
        var failure: PayloadError?
        for (place, names) in index.mappings(for: topic) {
            // In its place: a mapping is large, and most are only asked whether they fit.
            let format = mappings[place].format
            let value: MappingValue
            if let known = parsed.first(where: { $0.format == format }), format != .csv {
                value = known.value
            } else {
                do throws(PayloadError) {
                    value = try format.read(payload, columns: mappings[place].columns, separator: mappings[place].separator)
                } catch {
                    if !isFallback { failure = failure ?? error }
                    continue
                }
                parsed.append((format, value))
            }
            let scope = MappingExpression.Scope(message: value, record: value, topic: names)
            guard mappings[place].when.holds(in: scope) else { continue }
            // Whoever wrote it knows what it is: no other mapping is to make a measurement of it.
            if let refusal = mappings[place].refusal { throw PayloadError(.unsupported, refusal) }
            var run = MappingRun(mappings[place], value, topic: names, received: received)
            do throws(PayloadError) {
                return try run.run()
            } catch {
                // The next one may know more.
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return nil
    }

    /// Returns whether a topic is one that a mapping listens to.
    func listens(to topic: String) -> Bool {
        !index.mappings(for: topic).isEmpty
    }
}

/// The mappings in force, which can be read again while ingest runs. Threading: from anywhere.
package final class MappingRules: Sendable {
    private let state: Mutex<MappingSet>

    package init(_ mappings: MappingSet = MappingSet()) { state = Mutex(mappings) }

    /// The mappings now.
    package var current: MappingSet { state.withLock { $0 } }

    /// Replaces them.
    package func replace(with mappings: MappingSet) { state.withLock { $0 = mappings } }
}
