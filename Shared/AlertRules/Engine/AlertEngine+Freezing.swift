/// Participants of whom nothing is heard are kept as bytes: a tenth of the memory, and taken up again when something comes.
extension AlertEngine {
    /// Who was not asked for during so long is frozen, in microseconds.
    static let freezeAfter: Int64 = 10 * 1_000_000
    /// So many are looked at whenever time passes.
    private static let freezingShare = 4096

    /// Takes a participant up. To be called before anything of it but its booking is looked at.
    mutating func thaw(_ place: Int) {
        if participants[place].frozen != nil { participants[place] = thawed(place) }
        participants[place].touched = clock
    }

    /// A participant's state, taken up where it is frozen.
    func thawed(_ place: Int) -> ParticipantState {
        guard let bytes = participants[place].frozen else { return participants[place] }
        var reader = ByteReader(bytes)
        // The engine's own bytes under the engine's own rules; were they damaged, the person would begin anew rather than end the service.
        var state =
            (try? ParticipantState(&reader, rules, name: names[place], clock: clock))
            ?? ParticipantState(rules, name: names[place], clock: clock)
        state.booked = participants[place].booked
        return state
    }

    /// Freezes some of those of whom nothing was heard for a while.
    mutating func freezeIdle() {
        for _ in 0..<min(Self.freezingShare, participants.count) {
            nextToFreeze = nextToFreeze + 1 < participants.count ? nextToFreeze + 1 : 0
            let place = nextToFreeze
            guard participants[place].frozen == nil, !names[place].isEmpty, clock - participants[place].touched >= Self.freezeAfter else {
                continue
            }
            participants[place] = ParticipantState(frozen: encoded(participant: place), booked: participants[place].booked)
        }
    }
}
