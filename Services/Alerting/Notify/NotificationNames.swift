/// The names of participants and services in a receiver's messages.
package struct NotificationNames: Hashable, Sendable {
    /// The names by participant.
    private let people: [String: String]
    /// Whether services have their names, which operators want and carers do not.
    private let showsServices: Bool

    package init(people: [String: String] = [:], showsServices: Bool = false) {
        self.people = people
        self.showsServices = showsServices
    }

    /// A notifier for technical alerts only belongs to an operator.
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
