extension ParticipantState {
    /// Only what differs from a participant who was never heard of is written, by place in the rule set.
    func encode(into writer: inout ByteWriter) {
        encodeProfile(into: &writer)
        writer.writeSparse(alerts, where: { $0 != AlertState() }) { writer, alert in alert.encode(into: &writer) }
        writer.writeSparse(levels, where: { $0 != LevelState() }) { writer, level in level.encode(into: &writer) }
        writer.writeSparse(leaves, where: { $0 != LeafState() }) { writer, leaf in leaf.encode(into: &writer) }
        writer.writeSparse(rings, where: { $0 != 0 }) { writer, time in writer.write(time) }
        writer.writeSparse(windows, where: { !$0.buckets.isEmpty }) { writer, window in window.encode(into: &writer) }
        writer.writeSparse(histories, where: { !$0.bins.isEmpty }) { writer, history in history.encode(into: &writer) }
        writer.writeSparse(qualities, where: { !$0.isNaN }) { writer, value in writer.write(value) }
        writer.writeSparse(limits, where: { _ in true }) { writer, value in writer.write(value) }
        writer.write(scores != nil)
        scores?.encode(into: &writer)
    }

    private func encodeProfile(into writer: inout ByteWriter) {
        writer.write(profile.born)
        writer.write(profile.isPregnant)
        writer.write(profile.usesScale2)
        writer.write(profile.height)
        writer.write(isClockOff)
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
        }
    }

    init(_ reader: inout ByteReader, _ rules: RuleSet, name: String) throws(ByteReader.Damage) {
        self.init(rules, name: name)
        try decodeProfile(&reader)
        try reader.readSparse(into: &alerts) { reader throws(ByteReader.Damage) in try AlertState(&reader) }
        try reader.readSparse(into: &levels) { reader throws(ByteReader.Damage) in try LevelState(&reader) }
        try reader.readSparse(into: &leaves) { reader throws(ByteReader.Damage) in try LeafState(&reader) }
        try reader.readSparse(into: &rings) { reader throws(ByteReader.Damage) in try reader.time() }
        try reader.readSparse(into: &windows) { reader throws(ByteReader.Damage) in try ValueWindow(&reader) }
        try reader.readSparse(into: &histories) { reader throws(ByteReader.Damage) in try ValueHistory(&reader) }
        try reader.readSparse(into: &qualities) { reader throws(ByteReader.Damage) in try reader.number() }
        var kept = Array(repeating: 0.0, count: rules.thresholds.count)
        let count = try reader.readSparse(into: &kept) { reader throws(ByteReader.Damage) in try reader.number() }
        if count > 0 {
            guard count == kept.count else { throw ByteReader.Damage() }
            limits = kept
        }
        scores = try reader.bool() ? try ScoreTracker(&reader) : nil
    }

    private mutating func decodeProfile(_ reader: inout ByteReader) throws(ByteReader.Damage) {
        profile.born = try reader.optionalTime()
        profile.isPregnant = try reader.bool()
        profile.usesScale2 = try reader.bool()
        profile.height = try reader.optionalNumber()
        isClockOff = try reader.bool()
        for _ in 0..<(try reader.count()) {
            let slot = Int(try reader.integer())
            overrides[slot] = try reader.number()
        }
        for _ in 0..<(try reader.count()) {
            let rule = Int(try reader.integer())
            notes[rule] = AlertNote(
                acknowledgedBy: try reader.optionalText(), silencedBy: try reader.optionalText(), silenceReason: try reader.optionalText(),
                silenceEnd: try reader.time())
        }
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
