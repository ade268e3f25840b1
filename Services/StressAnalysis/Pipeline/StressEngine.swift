import Access
package import Signals
package import VigilSchema

/// Everyone's analysis: takes observations and commands, gives derived observations. A value without I/O.
///
/// Observations to publish and profiles to save stay here until `published()` and `saved()` say that it was, so that a delivery that is
/// given back loses nothing: its blocks are duplicates the second time, its results still wait.
package struct StressEngine: Sendable {
    /// The source of everything derived here; groups from it are passed over.
    package static let source = "vigil-stress"
    /// The silence after which a participant is dropped from memory, in seconds.
    private static let idleLimit = 3600.0

    /// Observations that wait to be published, by participant.
    package private(set) var pending: [String: [Observation]] = [:]
    /// Profiles that wait to be kept, by participant.
    package private(set) var unsaved: [String: StressProfile] = [:]
    /// Participants whose profiles wait to be removed.
    package private(set) var erased: Set<String> = []
    /// Everyone in memory.
    package var participantCount: Int { people.count }
    /// Observations that were taken in.
    package private(set) var taken = 0
    /// Each beside the table, which has places for more people than there are.
    private var people: [String: [Participant]] = [:]
    private var profiles: [String: StressProfile]
    private var newest = Timestamp(microseconds: .min)
    private var lastSweep = Timestamp(microseconds: .min)
    /// The time from which on whoever comes was not known before, for an engine in the place of another that left nothing.
    private var strangersFrom: Timestamp?
    private let isSuccessor: Bool

    /// An engine that remembers these profiles.
    /// - Parameter isSuccessor: it goes on in the place of another, so that who comes first has been analysed until now: they warm up.
    package init(profiles: [String: StressProfile] = [:], isSuccessor: Bool = false) {
        (self.profiles, self.isSuccessor) = (profiles, isSuccessor)
    }

    /// Goes on with a person as another engine had them.
    mutating func take(over person: Participant, named name: String) {
        people[name] = [person]
        newest = max(newest, person.lastReceived)
    }

    /// Takes a batch of live observations.
    /// - Parameter now: The present; nil: the time of receipt.
    package mutating func take(_ batch: ObservationBatch, now: Timestamp? = nil, defaultMode: StressMode) {
        for group in batch.groups where group.source != Self.source {
            taken += group.observations.count
            if let now, group.received.isPlausible(at: now), !newest.isPlausible(at: now) {
                // The clock was set back since.
                (newest, lastSweep) = (group.received, min(lastSweep, group.received))
            }
            newest = max(newest, group.received)
            var person = people.removeValue(forKey: group.participant) ?? [newcomer(group.participant, group.received)]
            person[0].take(group, now: now)
            let (observations, hasNewProfile) = person[0].dueObservations(defaultMode: defaultMode)
            if !observations.isEmpty { pending[group.participant, default: []] += observations }
            if hasNewProfile { remember(person[0].profile, of: group.participant) }
            people[group.participant] = person
        }
        sweep()
    }

    /// Indicates whether anything came of a participant, or is kept.
    func knows(_ name: String) -> Bool { people[name] != nil || profiles[name] != nil }

    /// Does what a command asks of a participant.
    package mutating func handle(
        _ command: StressCommand, participant name: String, at time: Timestamp, defaultMode: StressMode, calibrationSeconds: Double
    ) -> StressReply {
        var person = people[name]?.first ?? newcomer(name, time)
        person.handle(command.action, calibrationSeconds: calibrationSeconds)
        people[name] = [person]
        remember(person.profile, of: name)
        return StressReply(
            participant: name, ok: true, mode: (person.profile.mode ?? defaultMode).rawValue,
            calibrated: person.profile.baseline != nil, calibrating: person.isCalibrating)
    }

    /// Everything that `erase` would remove. The signals that an analysis works on stand in the timeline.
    func personalData(of name: String) throws -> PersonalData {
        var data = PersonalData()
        if let profile = profiles[name] { try data.add("profiles", [SQLiteProfileStore.object(profile)]) }
        if let person = people[name]?.first {
            try data.add("analyses", [["last-received": person.lastReceived.seconds, "calibrating": person.isCalibrating]])
        }
        return data
    }

    /// Forgets a participant.
    /// - Returns: the number of things that were removed, by what they are.
    package mutating func erase(participant name: String) -> [String: Int] {
        erased.insert(name)
        pending[name] = nil
        unsaved[name] = nil
        return [
            "analyses": people.removeValue(forKey: name) == nil ? 0 : 1,
            "profiles": profiles.removeValue(forKey: name) == nil ? 0 : 1,
        ]
    }

    /// Says that everything pending was published.
    package mutating func published() { pending.removeAll(keepingCapacity: true) }

    /// Says that the unsaved profiles were kept, and those of the erased removed.
    package mutating func saved() {
        unsaved.removeAll()
        erased.removeAll()
    }

    /// Blocks that came twice or too late, of everyone in memory.
    package var dropped: Int { people.values.reduce(0) { $0 + $1[0].dropped } }

    /// What is made of everyone in memory.
    func mapPeople<Result>(_ transform: (Participant) throws -> Result) rethrows -> [String: Result] {
        try people.mapValues { try transform($0[0]) }
    }

    private mutating func newcomer(_ name: String, _ time: Timestamp) -> Participant {
        if isSuccessor, strangersFrom == nil { strangersFrom = time.advanced(bySeconds: Self.idleLimit) }
        let isKnownElsewhere = strangersFrom.map { time < $0 } ?? false
        return Participant(profile: profiles[name] ?? StressProfile(), received: time, warmsUp: isKnownElsewhere)
    }

    private mutating func remember(_ profile: StressProfile, of name: String) {
        guard profiles[name] != profile else { return }
        profiles[name] = profile
        unsaved[name] = profile
    }

    private mutating func sweep() {
        guard newest.seconds - lastSweep.seconds > 60 else { return }
        lastSweep = newest
        let limit = newest.advanced(bySeconds: -Self.idleLimit)
        people = people.filter { $0.value[0].lastReceived >= limit }
    }
}
