import VigilSchema

/// The participants as people: names, groups and their order, from the timeline.
///
/// All of them are asked for at once, and remembered for half a minute. While the timeline is away those who were known stay as they are, those
/// who are live are there without a name, and nobody waits for longer than that one question: alarms go on without it.
package actor ParticipantDirectory {
    /// The seconds after which the timeline is asked again, where it has answered and where it has not.
    private static let (age, ageOfSilence) = (30.0, 5.0)

    private let bus: SuiteClient
    private let hub: LiveHub
    private let now: @Sendable () -> Double
    private var known: [String: ParticipantProfile] = [:]
    /// The time from which on what is known is too old.
    private var due = -Double.infinity
    private var isAsking = false
    /// Those who came while the question was under way.
    private var waiting: [CheckedContinuation<Void, Never>] = []

    package init(bus: SuiteClient, hub: LiveHub, now: @escaping @Sendable () -> Double) {
        self.bus = bus
        self.hub = hub
        self.now = now
    }

    /// Everybody who was heard of, live or in the timeline.
    func names() async -> Set<String> {
        await refresh()
        return Set(known.keys).union(hub.participants)
    }

    /// Those whom the account may see, in their groups' order. Participants that it is assigned to are there before anything is heard.
    func people(for account: Account) async -> [KnownPerson] {
        let people = await people(where: { _ in true }, for: account).prefix(1000)
        return people.sorted { Self.place($0) < Self.place($1) }
    }

    /// Those of them whose names are meant, sorted by name.
    func people(where isMeant: @Sendable (String) -> Bool, for account: Account) async -> [KnownPerson] {
        let names = await names()
        let everybody = account.participants.contains("*") ? names : Set(account.participants)
        let seen = everybody.filter { account.sees($0) && !$0.hasPrefix("_module.") && isMeant($0) }
        return seen.sorted().map { KnownPerson(participant: $0, profile: known[$0] ?? ParticipantProfile()) }
    }

    /// A profile was changed, or somebody erased: the timeline is asked again.
    func forget(_ name: String) {
        known[name] = nil
        due = -Double.infinity
    }

    /// Asks the timeline where what is known is too old; whoever comes meanwhile waits for the same answer.
    private func refresh() async {
        if isAsking { return await withCheckedContinuation { waiting.append($0) } }
        let now = now()
        // Also where the clock was set back since.
        guard now >= due || due > now + Self.age else { return }
        isAsking = true
        due = .infinity
        let people = await bus.people()
        if let people { known = Dictionary(people.map { ($0.participant, $0.profile) }) { first, _ in first } }
        // What was forgotten meanwhile is asked for once more.
        due = min(due, self.now() + (people == nil ? Self.ageOfSilence : Self.age))
        isAsking = false
        for one in waiting { one.resume() }
        waiting = []
    }

    private static func place(_ person: KnownPerson) -> (String, Int, String) {
        (person.profile.group ?? "", person.profile.order ?? .max, person.participant)
    }
}
