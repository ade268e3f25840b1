/// The sources of what is known, written behind everything else, where versions that do not know of them do not look.
extension ParticipantState {
    private var sources: [UInt32] {
        let remembered = sourceStates.map(\.source) + lateRuns.values.map(\.source)
        return Set(leaves.lazy.filter(\.isSeen).map(\.source) + qualities.map(\.source) + remembered).subtracting([0]).sorted()
    }

    /// Mostly a person has one or two, and all leaves of a metric have the same: each is written once, and then where it changes.
    func encodeSources(into writer: inout ByteWriter, _ rules: RuleSet) {
        let sources = sources
        guard !sources.isEmpty || !lateRuns.isEmpty || !acknowledged.isEmpty || !events.isEmpty else { return }
        func index(_ source: UInt32) -> Int { sources.firstIndex(of: source).map { $0 + 1 } ?? 0 }
        writer.write(sources.count)
        for source in sources { writer.write(Int64(source)) }
        let changes = changes(rules)
        writer.write(changes.count)
        for leaf in changes {
            writer.write(leaf)
            writer.write(index(leaves[leaf].source))
        }
        let known = qualities.indices.filter { qualities[$0].source != 0 }
        writer.write(known.count)
        for quality in known {
            writer.write(quality)
            writer.write(index(qualities[quality].source))
        }
        writer.write(sourceStates.count)
        for sourceState in sourceStates {
            for number in [sourceState.metric, index(sourceState.source)] { writer.write(number) }
            writer.write(compact: sourceState.value)
            for number in [sourceState.time, sourceState.arrival, Int64(sourceState.interval), sourceState.runClock] {
                writer.write(number)
            }
        }
        writer.write(lateRuns.count)
        for (metric, run) in lateRuns.sorted(by: { $0.key < $1.key }) {
            for number in [metric, index(run.source)] { writer.write(number) }
            for number in [run.time, run.arrival] { writer.write(number) }
        }
    }

    /// The leaves whose source is another than that of the one before of the same metric.
    private func changes(_ rules: RuleSet) -> [Int] {
        var last: [Int: UInt32] = [:]
        return leaves.indices.filter { index in
            guard leaves[index].isSeen else { return false }
            let metric = rules.leaves[index].metric
            defer { last[metric] = leaves[index].source }
            return leaves[index].source != last[metric] ?? 0
        }
    }

    mutating func decodeSources(_ reader: inout ByteReader, _ rules: RuleSet) throws(ByteReader.Damage) {
        guard !reader.isAtEnd else { return }
        var sources: [UInt32] = [0]
        for _ in 0..<(try reader.count()) {
            guard let source = UInt32(exactly: try reader.integer()) else { throw ByteReader.Damage() }
            sources.append(source)
        }
        var changed: [Int: UInt32] = [:]
        for _ in 0..<(try reader.count()) { changed[Int(try reader.integer())] = try Self.source(&reader, sources) }
        var last: [Int: UInt32] = [:]
        for index in leaves.indices where leaves[index].isSeen {
            let metric = rules.leaves[index].metric
            last[metric] = changed[index] ?? last[metric]
            leaves[index].source = last[metric] ?? 0
        }
        for _ in 0..<(try reader.count()) {
            let index = Int(try reader.integer())
            guard qualities.indices.contains(index) else { throw ByteReader.Damage() }
            qualities[index].source = try Self.source(&reader, sources)
        }
        for _ in 0..<(try reader.count()) { sourceStates.append(try Self.sourceState(&reader, sources, rules)) }
        for _ in 0..<(try reader.count()) {
            let metric = try Self.metric(&reader, rules)
            lateRuns[metric] = LateRun(source: try Self.source(&reader, sources), time: try reader.time(), arrival: try reader.time())
        }
    }

    private static func metric(_ reader: inout ByteReader, _ rules: RuleSet) throws(ByteReader.Damage) -> Int {
        let metric = Int(try reader.integer())
        guard rules.metrics.indices.contains(metric) else { throw ByteReader.Damage() }
        return metric
    }

    private static func source(_ reader: inout ByteReader, _ sources: [UInt32]) throws(ByteReader.Damage) -> UInt32 {
        let index = Int(try reader.integer())
        guard sources.indices.contains(index) else { throw ByteReader.Damage() }
        return sources[index]
    }

    private static func sourceState(_ reader: inout ByteReader, _ sources: [UInt32], _ rules: RuleSet) throws(ByteReader.Damage)
        -> SourceState
    {
        let metric = try Self.metric(&reader, rules)
        let (source, value) = (try source(&reader, sources), try reader.compactNumber())
        return SourceState(
            metric: metric, source: source, value: value, time: try reader.time(), arrival: try reader.time(),
            interval: UInt32(clamping: try reader.integer()), runClock: try reader.time())
    }
}

extension AlertNote {
    fileprivate var hasAnswerOrFinding: Bool { acknowledgedEnd != 0 || acknowledgedValue != nil || lateSince != 0 || lateClock != 0 }
}

/// The ends of acknowledgements, late findings and counted events, written behind the sources and only where there are any.
extension ParticipantState {
    fileprivate var acknowledged: [(rule: Int, note: AlertNote)] {
        notes.sorted { $0.key < $1.key }.filter { $0.value.hasAnswerOrFinding }
            .map { (rule: $0.key, note: $0.value) }
    }

    func encodeAcknowledgements(into writer: inout ByteWriter) {
        let acknowledged = acknowledged
        guard !acknowledged.isEmpty || !events.isEmpty else { return }
        writer.write(acknowledged.count)
        for (rule, note) in acknowledged {
            writer.write(rule)
            writer.write(note.acknowledgedEnd)
            writer.write(note.acknowledgedValue)
            writer.write(note.lateSince)
            writer.write(note.lateClock)
        }
        guard !events.isEmpty else { return }
        writer.write(events.count)
        for (leaf, times) in events.sorted(by: { $0.key < $1.key }) {
            writer.write(leaf)
            times.encode(into: &writer)
        }
    }

    mutating func decodeAcknowledgements(_ reader: inout ByteReader) throws(ByteReader.Damage) {
        guard !reader.isAtEnd else { return }
        for _ in 0..<(try reader.count()) {
            let rule = Int(try reader.integer())
            guard notes[rule] != nil else { throw ByteReader.Damage() }
            notes[rule]?.acknowledgedEnd = try reader.time()
            notes[rule]?.acknowledgedValue = try reader.optionalNumber()
            notes[rule]?.lateSince = try reader.time()
            notes[rule]?.lateClock = try reader.time()
        }
        guard !reader.isAtEnd else { return }
        for _ in 0..<(try reader.count()) {
            let leaf = Int(try reader.integer())
            guard leaves.indices.contains(leaf) else { throw ByteReader.Damage() }
            events[leaf] = try EventTimes(&reader)
        }
    }
}
