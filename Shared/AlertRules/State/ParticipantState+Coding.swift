extension ParticipantState {
    /// Only what differs from a participant who was never heard of is written, by place in the rule set.
    ///
    /// The first byte is the layout's version; before it had one, it was 0 or 1.
    func encoded(_ rules: RuleSet) -> [UInt8] {
        var writer = ByteWriter()
        writer.write(StateLayout.current.rawValue)
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
        for (place, leaf) in leaves.enumerated() where leaf.isSeen {
            let twin = rules.readers[rules.leaves[place].metric].first { $0 < place && leaves[$0].isSeen && leaves[$0].knowsSame(as: leaf) }
            leaf.encode(into: &writer, distance: place - last, base: base, twin: twin.map { order[$0] })
            (last, order[place]) = (place, written)
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
        let layout = try StateLayout(&reader)
        try decodeProfile(&reader, layout, rules)
        try reader.readSparse(into: &alerts) { reader throws(ByteReader.Damage) in try AlertState(&reader, layout) }
        try reader.readSparse(into: &levels) { reader throws(ByteReader.Damage) in try LevelState(&reader) }
        let base = try decodeLeaves(&reader, layout)
        try reader.readSparse(into: &rings) { reader throws(ByteReader.Damage) in try reader.time() }
        try reader.readSparse(into: &windows) { reader throws(ByteReader.Damage) in
            layout >= .third ? try ValueWindow(&reader) : try ValueWindow(former: &reader)
        }
        try reader.readSparse(into: &histories) { reader throws(ByteReader.Damage) in
            layout >= .third ? try ValueHistory(&reader) : try ValueHistory(former: &reader)
        }
        if layout == .unversioned {
            // Qualities stood by metric; they come anew with the next reading.
            var former = Array(repeating: 0.0, count: rules.metrics.count)
            try reader.readSparse(into: &former) { reader throws(ByteReader.Damage) in try reader.number() }
        } else {
            try reader.readSparse(into: &days) { reader throws(ByteReader.Damage) in try DayValues(&reader, layout, base: base) }
            try reader.readSparse(into: &anchors) { reader throws(ByteReader.Damage) in try AnchorState(&reader) }
            try reader.readSparse(into: &inputs) { reader throws(ByteReader.Damage) in try InputState(&reader, layout, base: base) }
            try reader.readSparse(into: &qualities) { reader throws(ByteReader.Damage) in try QualityState(&reader) }
        }
        try decodeLimits(&reader, layout, rules)
        scores = try reader.bool() ? try ScoreTracker(&reader, layout, slots: rules.scoreSlots) : nil
        // Where it is missing, the profile is applied as soon as anybody looks.
        profileUntil = !profile.isTimed ? .max : reader.isAtEnd && profile.delivered == nil ? 0 : try reader.time()
        if profileUntil == Self.endlessly { profileUntil = .max }
        try decodeSources(&reader, rules)
        try decodeAcknowledgements(&reader)
        if layout == .unversioned { endClearances(rules, clock: clock) }
    }

    /// A clearance of the first layout had no end: it gets the last that its rule allows.
    private mutating func endClearances(_ rules: RuleSet, clock: Int64) {
        for rule in alerts.indices where alerts[rule].rearm != .none {
            let end = clock + rules.rules[rule].clearFor
            notes[rule, default: AlertNote()].clearEnd = end
            notes[rule]?.clearedUntil = end
        }
    }

    /// - Returns: the time from which others are written as distances.
    private mutating func decodeLeaves(_ reader: inout ByteReader, _ layout: StateLayout) throws(ByteReader.Damage) -> Int64 {
        let base = layout == .unversioned ? 0 : try reader.time()
        guard layout < .fourth else {
            try decodeLeaves(&reader, base: base)
            return base
        }
        for _ in 0..<(try reader.count()) {
            let place = Int(try reader.integer())
            guard leaves.indices.contains(place) else { throw ByteReader.Damage() }
            leaves[place] =
                layout == .third
                ? try LeafState(third: &reader, base: base, before: leaves[..<place]) : try LeafState(former: &reader, layout, base: base)
        }
        return base
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

    private mutating func decodeLimits(
        _ reader: inout ByteReader, _ layout: StateLayout, _ rules: RuleSet
    ) throws(ByteReader.Damage) {
        let isCompact = layout >= .third
        if isCompact, !(try reader.bool()) { return }
        var kept = rules.thresholds.map(\.standard)
        let count = try reader.readSparse(into: &kept) { reader throws(ByteReader.Damage) in
            isCompact ? try reader.compactNumber() : try reader.number()
        }
        guard isCompact || count > 0 else { return }
        // The first layout did not know the rule that tells of those whom no rule judges, which comes last.
        guard isCompact || count == kept.count || (layout == .unversioned && count < kept.count) else { throw ByteReader.Damage() }
        limits = kept
    }

    private mutating func decodeProfile(_ reader: inout ByteReader, _ layout: StateLayout, _ rules: RuleSet) throws(ByteReader.Damage) {
        profile = try PersonFacts(&reader)
        isClockOff = try reader.bool()
        if layout != .unversioned {
            heartRateClock = try reader.timeOrNever()
            for _ in 0..<(try reader.count()) {
                let metric = Int(try reader.integer())
                guard rules.metrics.indices.contains(metric) else { throw ByteReader.Damage() }
                uncovered.insert(metric)
            }
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
            guard layout != .unversioned else { continue }
            notes[rule]?.clearedUntil = try reader.time()
            notes[rule]?.clearEnd = try reader.time()
            notes[rule]?.clearedValue = try reader.number()
        }
    }
}

/// The way a participant's state is written.
enum StateLayout: UInt8, Comparable {
    /// Without a number of its own: the first byte tells whether there is a birth date.
    case unversioned = 0
    case second = 2
    /// In as few bytes as it needs: what leaves share, and what is standard, is not repeated.
    case third = 3
    /// Leaves by their distance from the one before.
    case fourth = 4

    static let current = StateLayout.fourth

    static func < (left: StateLayout, right: StateLayout) -> Bool { left.rawValue < right.rawValue }

    /// Reads its number, which the first layout has not.
    init(_ reader: inout ByteReader) throws(ByteReader.Damage) {
        var ahead = reader
        let first = try ahead.byte()
        guard first > 1 else {
            self = .unversioned
            return
        }
        guard let known = StateLayout(rawValue: first) else { throw ByteReader.Damage() }
        self = known
        reader = ahead
    }
}

extension ByteWriter {
    /// The elements worth keeping, each with its place.
    fileprivate mutating func writeSparse<Element>(
        _ elements: [Element], where isKept: (Element) -> Bool, _ write: (inout ByteWriter, Element) -> Void
    ) {
        self.write(elements.reduce(0) { $0 + (isKept($1) ? 1 : 0) })
        for (place, element) in elements.enumerated() where isKept(element) {
            self.write(place)
            write(&self, element)
        }
    }
}

extension ByteReader {
    @discardableResult fileprivate mutating func readSparse<Element>(
        into elements: inout [Element], _ read: (inout ByteReader) throws(Damage) -> Element
    ) throws(Damage) -> Int {
        let count = try count()
        for _ in 0..<count {
            let place = try integer()
            guard elements.indices.contains(Int(place)) else { throw Damage() }
            elements[Int(place)] = try read(&self)
        }
        return count
    }
}
