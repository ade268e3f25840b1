/// Participants of whom nothing is heard are packed into bytes, and taken up again when something comes.
extension AlertEngine {
    /// The time after which a participant who was not asked for is packed, in microseconds.
    static let packAfter: Int64 = 2 * 1_000_000
    /// The most that those who are spread out take, in bytes: beyond it the one who has been for longest is packed first.
    static let spreadBytes = 32 << 20
    /// So many are looked at whenever time passes.
    private static let packingShare = 4096

    /// Takes a participant up. To be called before anything of it but its booking is looked at.
    mutating func thaw(_ index: Int) {
        if !participants.isSpread(index) { spread(thawed(index), at: index) }
        participants[index].touched = clock
    }

    /// Puts a state where a participant's was, and packs others where that makes too many.
    mutating func spread(_ state: ParticipantState, at index: Int) {
        while !participants.isSpread(index), participants.spreadCount >= spreadLimit, let oldest = participants.next() { pack(oldest) }
        participants.put(state, at: index)
        participants[index].touched = clock
    }

    /// A participant's state, taken up where it is packed.
    func thawed(_ index: Int) -> ParticipantState {
        if participants.isSpread(index) { return participants[index] }
        guard let bytes = participants.bytes(index) else { return ParticipantState(rules, name: names[index], clock: clock) }
        var reader = ByteReader(bytes)
        // The engine's own bytes under the engine's own rules; were they damaged, the person would begin anew rather than end the service.
        var state =
            (try? ParticipantState(&reader, rules, name: names[index], clock: clock))
            ?? ParticipantState(rules, name: names[index], clock: clock)
        state.booked = participants.booked(index)
        return state
    }

    /// Packs those of whom nothing was heard for a while.
    mutating func packIdle() {
        for _ in 0..<min(Self.packingShare, participants.spreadCount) {
            guard let index = participants.next() else { return }
            if clock - participants[index].touched >= Self.packAfter { pack(index) } else { participants.postpone(index) }
        }
    }

    private mutating func pack(_ index: Int) {
        participants.pack(index, as: encoded(participant: index), booked: participants.booked(index))
    }
}

extension ParticipantState {
    /// The number of participants that may be spread out at once under a set of rules.
    static func spreadLimit(_ rules: RuleSet) -> Int {
        let tables = [
            rules.rules.count * MemoryLayout<AlertState>.stride, rules.levels.count * MemoryLayout<LevelState>.stride,
            rules.leaves.count * MemoryLayout<LeafState>.stride, rules.ringCount * MemoryLayout<Int64>.stride,
            rules.histories.count * ValueHistory.binCount * MemoryLayout<Float>.stride,
        ]
        return max(256, AlertEngine.spreadBytes / (tables.reduce(1024, +)))
    }
}
