package import VigilSchema

/// The mappings that are in force.
package struct MappingSet: Sendable {
    package let mappings: [Mapping]
    /// Whose a sensor is, by its address or name: the files' table `people`.
    let people: GlobTable
    private let index: TopicIndex
    private let hasAnnounced: Bool

    /// Those that take every known name come last, whatever their file, and of these the ones that listen below any first level.
    package init(_ mappings: [Mapping] = [], people: GlobTable = GlobTable([])) {
        self.people = people
        let wide = mappings.filter(\.takesKnownNames)
        let isWidest = { (mapping: Mapping) in mapping.topics.contains { $0.firstLiteral == nil } }
        self.mappings = mappings.filter { !$0.takesKnownNames } + wide.filter { !isWidest($0) } + wide.filter(isWidest)
        index = TopicIndex(self.mappings)
        hasAnnounced = mappings.contains(where: \.isAnnounced)
    }

    /// The same with others behind them.
    func with(_ others: [Mapping]) -> MappingSet { others.isEmpty ? self : MappingSet(mappings + others, people: people) }

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
        var message = MappableMessage(payload)
        var failure: PayloadError?
        // Whose a reading is says a file, where one does: whoever announces a sensor is to take nothing from anybody.
        let (listeners, isAnnounced) = announcedLast(index.listeners(to: topic))
        var nobodys: [MappedReadings]?
        for listener in listeners {
            // In its place: a mapping is large, and most are only asked whether they fit.
            let place = listener.mapping
            let format = mappings[place].format
            if !message.isPrepared(format, by: listener.filter) {
                let names = index.names(of: topic, by: listener.filter)
                do throws(PayloadError) {
                    try message.prepare(format, mappings[place].columns, mappings[place].separator, by: listener.filter, names)
                } catch {
                    if !isFallback { failure = failure ?? error }
                }
            }
            guard message.isReadable, mappings[place].when.holds(in: message.scope) else { continue }
            // Whoever wrote it knows what it is: no other mapping is to make a measurement of it.
            if let refusal = mappings[place].refusal { throw PayloadError(.unsupported, refusal) }
            var run = MappingRun(place, of: mappings, message.scope, received: received)
            do throws(PayloadError) {
                let parts = try run.run()
                // Named by chance alone, it is none of a mapping's that takes every name: the format that refused it knows more.
                if isFallback, mappings[place].takesKnownNames, parts.allSatisfy(\.isEmpty) { continue }
                if !isAnnounced || mappings[place].isAnnounced || parts.contains(where: \.isSomebodys) { return parts }
                nobodys = nobodys ?? parts
            } catch {
                if isFallback, mappings[place].takesKnownNames { continue }
                if run.isNobodys, !isAnnounced { throw error }
                // The next one may know more.
                failure = failure ?? error
            }
        }
        if let nobodys { return nobodys }
        if let failure { throw failure }
        return nil
    }

    /// The listeners with those behind the others that were announced, and whether there are any.
    private func announcedLast(_ listeners: [TopicIndex.Listener]) -> ([TopicIndex.Listener], Bool) {
        guard hasAnnounced, listeners.contains(where: { mappings[$0.mapping].isAnnounced }) else { return (listeners, false) }
        return (listeners.filter { !mappings[$0.mapping].isAnnounced } + listeners.filter { mappings[$0.mapping].isAnnounced }, true)
    }

    /// Returns whether a mapping listens to a topic that says itself what it reads, rather than taking every known name.
    func declares(_ topic: String) -> Bool { index.listeners(to: topic).contains { !mappings[$0.mapping].takesKnownNames } }

    /// Returns whether a topic is one that a mapping listens to.
    func listens(to topic: String) -> Bool {
        index.hasListeners(to: topic)
    }
}

/// A message that mappings are tried on: its payload is read once in each format, and not for each mapping.
private struct MappableMessage {
    private let payload: [UInt8]
    /// The message as the mapping at hand sees it.
    private(set) var scope: MappingExpression.Scope
    /// False where the payload is not of the mapping's format.
    private(set) var isReadable = false
    /// The filter and the format that the scope was made for: the next mapping mostly has the same.
    private var filter = -1
    private var format = MappingFormat.json
    private var parsed: [(format: MappingFormat, value: MappingValue?)] = []

    init(_ payload: [UInt8]) {
        self.payload = payload
        scope = MappingExpression.Scope(message: .null, record: .null, topic: nil)
    }

    /// Returns whether the scope is that for a format and filter. Lines are read anew: each mapping has columns of its own.
    func isPrepared(_ format: MappingFormat, by filter: Int) -> Bool { self.filter == filter && self.format == format && format != .csv }

    /// Makes the scope for a mapping. Throws once for each format that the payload is not of.
    mutating func prepare(
        _ format: MappingFormat, _ columns: [String], _ separator: Character, by filter: Int, _ names: TopicNames
    ) throws(PayloadError) {
        (self.filter, self.format, isReadable) = (filter, format, false)
        guard let value = try value(format, columns, separator) else { return }
        scope = MappingExpression.Scope(message: value, record: value, topic: names)
        isReadable = true
    }

    private mutating func value(_ format: MappingFormat, _ columns: [String], _ separator: Character) throws(PayloadError) -> MappingValue?
    {
        if format != .csv, let known = parsed.first(where: { $0.format == format }) { return known.value }
        do throws(PayloadError) {
            let value = try format.read(payload, columns: columns, separator: separator)
            parsed.append((format, value))
            return value
        } catch {
            parsed.append((format, nil))
            throw error
        }
    }
}
