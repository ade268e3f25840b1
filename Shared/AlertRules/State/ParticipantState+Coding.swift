extension ParticipantState {
    /// Only what differs from a participant who was never heard of is written, by place in the rule set.
    ///
    /// The first byte is the layout's version.
    func encoded(_ rules: RuleSet) -> [UInt8] {
        var writer = ByteWriter()
        writer.write(StateLayout.current)
        encodeProfile(into: &writer)
        writer.writeSparse(alerts, where: { $0 != AlertState() }) { writer, alert in alert.encode(into: &writer) }
        writer.writeSparse(levels, where: { $0 != LevelState() }) { writer, level in level.encode(into: &writer) }
        let base = leaves.first { $0.isSeen }?.arrival ?? 0
        encodeLeaves(into: &writer, rules, base: base)
        writer.writeSparse(rings, where: { $0 != 0 }) { writer, time in writer.write(time) }
        writer.writeSparse(windows, where: { !$0.buckets.isEmpty }) { writer, window in window.encode(into: &writer) }
        writer.writeSparse(histories, where: { !$0.bins.isEmpty }) { writer, history in history.encode(into: &writer) }
        writer.writeSparse(days, where: { !$0.days.isEmpty }) { writer, days in days.encode(into: &writer, base: base) }
        writer.writeSparse(anchors, where: { $0.isKnown }) { writer, anchor in anchor.encode(into: &writer) }
        writer.writeSparse(inputs, where: { $0.time != 0 }) { writer, input in input.encode(into: &writer, base: base) }
        writer.writeSparse(qualities, where: { $0.arrival != LeafState.never }) { writer, quality in quality.encode(into: &writer) }
        encodeLimits(into: &writer, rules)
        writer.write(scores != nil)
        scores?.encode(into: &writer)
        // At the end, where versions that do not know of it do not look.
        if profile.isTimed { writer.write(min(profileUntil, Self.endlessly)) }
        encodeSources(into: &writer, rules)
        encodeAcknowledgements(into: &writer)
        return writer.bytes
    }

    /// The latest time that can be read.
    private static let endlessly: Int64 = 1 << 60

    /// Leaves of one metric mostly know the same of it: all but the first of them refer to it.
    private func encodeLeaves(into writer: inout ByteWriter, _ rules: RuleSet, base: Int64) {
        writer.write(base)
        writer.write(leaves.count { $0.isSeen })
        var (last, order) = (-1, Array(repeating: 0, count: leaves.count))
        var written = 0
        for (index, leaf) in leaves.enumerated() where leaf.isSeen {
            let twin = rules.readers[rules.leaves[index].metric].first { $0 < index && leaves[$0].isSeen && leaves[$0].knowsSame(as: leaf) }
            leaf.encode(into: &writer, distance: index - last, base: base, twin: twin.map { order[$0] })
            (last, order[index]) = (index, written)
            written += 1
        }
    }

    /// Only those that are not the standard ones.
    private func encodeLimits(into writer: inout ByteWriter, _ rules: RuleSet) {
        writer.write(!limits.isEmpty)
        guard !limits.isEmpty else { return }
        let own = limits.indices.filter { limits[$0] != rules.thresholds[$0].standard }
        writer.write(own.count)
        for slot in own {
            writer.write(slot)
            writer.write(compact: limits[slot])
        }
    }

    private func encodeProfile(into writer: inout ByteWriter) {
        profile.encode(into: &writer)
        writer.write(isClockOff)
        writer.write(heartRateClock)
        writer.write(uncovered.count)
        for metric in uncovered.sorted() { writer.write(metric) }
        writer.write(overrides.count)
        for (slot, value) in overrides.sorted(by: { $0.key < $1.key }) {
            writer.write(slot)
            writer.write(value)
        }
        writer.write(notes.count)
        for (rule, note) in notes.sorted(by: { $0.key < $1.key }) {
            writer.write(rule)
            writer.write(note.acknowledgedBy)
            writer.write(note.silencedBy)
            writer.write(note.silenceReason)
            writer.write(note.silenceEnd)
            writer.write(note.clearedUntil)
            writer.write(note.clearEnd)
            writer.write(note.clearedValue)
        }
    }

    init(_ reader: inout ByteReader, _ rules: RuleSet, name: String, clock: Int64) throws(ByteReader.Damage) {
        self.init(rules, name: name, clock: clock)
        // What was written is the whole: what a new participant begins with does not show through.
        alerts = Array(repeating: AlertState(), count: alerts.count)
        leaves = Array(repeating: LeafState(), count: leaves.count)
        limits = []
        try StateLayout.check(&reader)
        try decodeProfile(&reader, rules)
        try reader.readSparse(into: &alerts) { reader throws(ByteReader.Damage) in try AlertState(&reader) }
        try reader.readSparse(into: &levels) { reader throws(ByteReader.Damage) in try LevelState(&reader) }
        let base = try reader.time()
        try decodeLeaves(&reader, base: base)
        try reader.readSparse(into: &rings) { reader throws(ByteReader.Damage) in try reader.time() }
        try reader.readSparse(into: &windows) { reader throws(ByteReader.Damage) in try ValueWindow(&reader) }
        try reader.readSparse(into: &histories) { reader throws(ByteReader.Damage) in try ValueHistory(&reader) }
        try reader.readSparse(into: &days) { reader throws(ByteReader.Damage) in try DayValues(&reader, base: base) }
        try reader.readSparse(into: &anchors) { reader throws(ByteReader.Damage) in try AnchorState(&reader) }
        try reader.readSparse(into: &inputs) { reader throws(ByteReader.Damage) in try InputState(&reader, base: base) }
        try reader.readSparse(into: &qualities) { reader throws(ByteReader.Damage) in try QualityState(&reader) }
        try decodeLimits(&reader, rules)
        scores = try reader.bool() ? try ScoreTracker(&reader, slots: rules.scoreSlots) : nil
        // Where it is missing, the profile is applied as soon as anybody looks.
        profileUntil = !profile.isTimed ? .max : reader.isAtEnd && profile.delivered == nil ? 0 : try reader.time()
        if profileUntil == Self.endlessly { profileUntil = .max }
        try decodeSources(&reader, rules)
        try decodeAcknowledgements(&reader)
    }

    private mutating func decodeLeaves(_ reader: inout ByteReader, base: Int64) throws(ByteReader.Damage) {
        var (last, seen): (Int, [LeafState]) = (-1, [])
        for _ in 0..<(try reader.count()) {
            let (distance, leaf) = try LeafState.read(&reader, base: base, before: seen)
            guard (1...leaves.count).contains(distance), leaves.indices.contains(last + distance) else { throw ByteReader.Damage() }
            last += distance
            leaves[last] = leaf
            seen.append(leaf)
        }
    }

    private mutating func decodeLimits(_ reader: inout ByteReader, _ rules: RuleSet) throws(ByteReader.Damage) {
        guard try reader.bool() else { return }
        limits = rules.thresholds.map(\.standard)
        try reader.readSparse(into: &limits) { reader throws(ByteReader.Damage) in try reader.compactNumber() }
    }

    private mutating func decodeProfile(_ reader: inout ByteReader, _ rules: RuleSet) throws(ByteReader.Damage) {
        profile = try PersonFacts(&reader)
        isClockOff = try reader.bool()
        heartRateClock = try reader.timeOrNever()
        for _ in 0..<(try reader.count()) {
            let metric = Int(try reader.integer())
            guard rules.metrics.indices.contains(metric) else { throw ByteReader.Damage() }
            uncovered.insert(metric)
        }
        for _ in 0..<(try reader.count()) {
            let slot = Int(try reader.integer())
            overrides[slot] = try reader.number()
        }
        for _ in 0..<(try reader.count()) {
            let rule = Int(try reader.integer())
            notes[rule] = AlertNote(
                acknowledgedBy: try reader.optionalText(), silencedBy: try reader.optionalText(), silenceReason: try reader.optionalText(),
                silenceEnd: try reader.time())
            notes[rule]?.clearedUntil = try reader.time()
            notes[rule]?.clearEnd = try reader.time()
            notes[rule]?.clearedValue = try reader.number()
        }
    }
}

/// The way a participant's state is written.
enum StateLayout {
    /// The version that a state begins with.
    static let current: UInt8 = 5

    /// Reads the version.
    /// - Throws: `Damage` where it is another.
    static func check(_ reader: inout ByteReader) throws(ByteReader.Damage) {
        guard try reader.byte() == current else { throw ByteReader.Damage() }
    }
}

extension ByteWriter {
    /// The elements worth keeping, each with its place.
    fileprivate mutating func writeSparse<Element>(
        _ elements: [Element], where isKept: (Element) -> Bool, _ write: (inout ByteWriter, Element) -> Void
    ) {
        self.write(elements.reduce(0) { $0 + (isKept($1) ? 1 : 0) })
        for (index, element) in elements.enumerated() where isKept(element) {
            self.write(index)
            write(&self, element)
        }
    }
}

extension ByteReader {
    fileprivate mutating func readSparse<Element>(
        into elements: inout [Element], _ read: (inout ByteReader) throws(Damage) -> Element
    ) throws(Damage) {
        for _ in 0..<(try count()) {
            let index = try integer()
            guard elements.indices.contains(Int(index)) else { throw Damage() }
            elements[Int(index)] = try read(&self)
        }
    }
}
