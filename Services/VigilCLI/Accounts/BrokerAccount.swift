import Access
import VigilSchema

/// The kind of an account; the table of roles says what it may request.
enum AccountRole: String, Sendable, CaseIterable {
    case device, subscriber, patient, carer, analyst
    /// Publishes on its own topics, which mappings read; may request nothing.
    case bridge
}

/// An account at the broker and its topics. The broker refuses all others.
struct BrokerAccount: Sendable, Equatable {
    let name: String
    let role: AccountRole
    let participants: [String]
    let device: String
    /// The topics on which a bridge publishes.
    var topics: [String] = []

    /// The lines after `user` in the broker's access list. Requests and answers need none: every account has its own.
    var rights: [String] {
        switch role {
        case .device: participants.flatMap(deviceRights)
        case .subscriber: participants.flatMap(subscriberRights)
        case .patient, .carer: participants.flatMap { subscriberRights($0) + personRights($0) }
        case .analyst: []
        case .bridge: topics.map { "topic write \($0)" }
        }
    }

    /// The reason why a bridge may not publish on a topic; nil: it may.
    static func objection(toBridgeTopic topic: String) -> String? {
        let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
        guard !topic.isEmpty, topic.utf8.count <= 1024, topic.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7F }) else {
            return "a topic has 1 to 1024 bytes, without blanks"
        }
        guard let first = levels.first, !first.contains("#"), !first.contains("+"), first != "vigil", !first.hasPrefix("$") else {
            return "a bridge publishes below a first level of its own, not below vigil/, $ or a wildcard"
        }
        for (place, level) in levels.enumerated() where level.contains("#") || level.contains("+") {
            if level == "+" || level == "#" && place == levels.count - 1 { continue }
            return "+ stands for a whole level, and # for all the last ones"
        }
        return nil
    }

    /// The account for the services' list of roles.
    var entry: AccountList.Account { AccountList.Account(name: name, role: role.rawValue, participants: participants) }

    private func deviceRights(_ participant: String) -> [String] {
        let receipt = Topic.receipt(participant: participant, device: device).path
        return [
            "topic write \(Topic.ingest(participant: participant, device: device).path)", "topic read \(receipt)",
            "topic read \(receipt)/#",
            "topic read \(Topic.reject(participant: participant, device: device).path)",
        ]
    }

    /// The modules' messages, and measurements that the person enters.
    private func personRights(_ participant: String) -> [String] {
        [
            "topic read \(Topic.prefix)messages/\(participant)/+",
            "topic write \(Topic.manual(participant: participant, account: name).path)",
        ]
    }

    /// Returns whether a right is about a participant.
    static func isRight(_ right: String, about participant: String) -> Bool {
        [participant, HouseEntities.node(participant)].contains { right.contains("/\($0)/") }
    }

    private func subscriberRights(_ participant: String) -> [String] {
        ["alerts", "alert-events", "latest"].map { "topic read \(Topic.prefix)\($0)/\(participant)/+" }
            // What vigil house announces to Home Assistant.
            + ["topic read homeassistant/+/\(HouseEntities.node(participant))/+/config"]
    }
}

/// The broker's access list as text: what comes before the first `user` line, and a section for each user.
struct AccessList: Sendable, Equatable {
    private struct Section: Sendable, Equatable {
        let user: String?
        var lines: [String]
    }

    private var sections: [Section]

    init(_ text: String) {
        sections = [Section(user: nil, lines: [])]
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("user ") {
                sections.append(Section(user: String(line.dropFirst(5)), lines: []))
            } else {
                sections[sections.count - 1].lines.append(String(line))
            }
        }
    }

    var text: String {
        let lines = sections.flatMap { section in (section.user.map { ["user \($0)"] } ?? []) + section.lines }
        return lines.joined(separator: "\n").trimmingSuffix("\n") + "\n"
    }

    /// The rights of each user, in the order of the file.
    var users: [(name: String, rights: [String])] {
        sections.compactMap { section in
            section.user.map { (name: $0, rights: section.lines.filter { $0.hasPrefix("topic ") }) }
        }
    }

    /// The rights of vigil-ingest to read bridges' topics: the present ones, and one for each topic of a bridge, which
    /// an earlier version lost at a restart.
    var bridgeReads: [String] {
        let (read, write) = ("topic read ", "topic write ")
        var seen: Set<Substring> = []
        return users.flatMap { user in
            let own = user.name == "ingest" ? read : write
            return AccountList.services.contains(user.name) && own == write
                ? [] : user.rights.filter { $0.hasPrefix(own) }.map { $0.dropFirst(own.count) }
        }.filter { !$0.hasPrefix("vigil/") && seen.insert($0).inserted }.map { read + $0 }
    }

    /// Gives the user exactly these rights.
    mutating func set(_ user: String, rights: [String]) {
        remove(user)
        sections.append(Section(user: user, lines: rights + [""]))
    }

    /// Adds rights in a new section at the end; existing ones stay unchanged.
    mutating func grant(_ user: String, rights: [String]) {
        let known = Set(sections.filter { $0.user == user }.flatMap(\.lines))
        let fresh = rights.filter { !known.contains($0) }
        if !fresh.isEmpty { sections.append(Section(user: user, lines: fresh + [""])) }
    }

    /// Removes the user's rights.
    mutating func remove(_ user: String) { sections.removeAll { $0.user == user } }
}

extension String {
    /// Without the suffix, however often it occurs.
    fileprivate func trimmingSuffix(_ suffix: Character) -> String {
        var text = self[...]
        while text.last == suffix { text = text.dropLast() }
        return String(text)
    }
}
