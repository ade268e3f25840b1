/// The names by which a receiver's messages call those whom alerts are about.
package struct NotificationNames: Hashable, Sendable {
    /// By participant.
    private let people: [String: String]
    /// Indicates whether services are called by their names, as operators want it and carers do not.
    private let showsServices: Bool

    package init(people: [String: String] = [:], showsServices: Bool = false) {
        self.people = people
        self.showsServices = showsServices
    }

    /// A notifier that hears of technical matters only is an operator's.
    init(_ entry: NotifierSettings.Entry, _ people: [String: NotifierSettings.Person]) {
        self.init(
            people: entry.showsNames ? people.compactMapValues(\.name) : [:],
            showsServices: entry.showsServices ?? (entry.route.kinds == ["technical"]))
    }

    /// The name of a participant; a service is `system`.
    func name(of participant: String, system: String) -> String {
        if let name = people[participant] { return name }
        return participant.hasPrefix("_") && !showsServices ? system : participant
    }
}
