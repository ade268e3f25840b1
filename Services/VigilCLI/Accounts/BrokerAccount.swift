import Access
import VigilSchema

/// The kind of an account; the table of roles says what each may ask the services for.
enum AccountRole: String, Sendable, CaseIterable {
    case device, subscriber, patient, carer, analyst
    /// Publishes on topics of its own, which mappings read; asks for nothing.
    case bridge
}

/// An account at the broker and the topics that it may use. What is not named is refused by the broker.
struct BrokerAccount: Sendable, Equatable {
    let name: String
    let role: AccountRole
    let participants: [String]
    let device: String
    /// The topics on which a bridge publishes.
    var topics: [String] = []

    /// The lines of the broker's access list that follow `user`. Requests and answers need none: every account has its own.
    var rights: [String] {
        switch role {
        case .device: participants.flatMap(deviceRights)
        case .subscriber: participants.flatMap(subscriberRights)
        case .patient, .carer: participants.flatMap { subscriberRights($0) + personRights($0) }
        case .analyst: []
        case .bridge: topics.map { "topic write \($0)" }
        }
    }

    /// The reason why a topic is none for a bridge; nil where it may publish there.
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

    /// The account as the services are told of it.
    var entry: AccountList.Account { AccountList.Account(name: name, role: role.rawValue, participants: participants) }

    private func deviceRights(_ participant: String) -> [String] {
        let receipt = Topic.receipt(participant: participant, device: device).path
        return [
            "topic write \(Topic.ingest(participant: participant, device: device).path)", "topic read \(receipt)",
            "topic read \(receipt)/#",
            "topic read \(Topic.reject(participant: participant, device: device).path)",
        ]
    }

    /// The modules' messages, and the person's measurements typed in under the account's own name.
    private func personRights(_ participant: String) -> [String] {
        [
            "topic read \(Topic.prefix)messages/\(participant)/+",
            "topic write \(Topic.manual(participant: participant, account: name).path)",
        ]
    }

    private func subscriberRights(_ participant: String) -> [String] {
        ["alerts", "alert-events", "latest"].map { "topic read \(Topic.prefix)\($0)/\(participant)/+" }
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

    /// The rights by which vigil-ingest reads what bridges publish: those that it has, and one for each topic of a bridge, as an earlier version forgot
    /// them at a restart.
    var bridgeReads: [String] {
        let (read, write) = ("topic read ", "topic write ")
        var seen: Set<Substring> = []
        return users.flatMap { user in
            let own = user.name == "ingest" ? read : write
            return AccountList.services.contains(user.name) && own == write
                ? [] : user.rights.filter { $0.hasPrefix(own) }.map { $0.dropFirst(own.count) }
        }.filter { !$0.hasPrefix("vigil/") && seen.insert($0).inserted }.map { read + $0 }
    }

    /// Gives the user these rights and no others.
    mutating func set(_ user: String, rights: [String]) {
        remove(user)
        sections.append(Section(user: user, lines: rights + [""]))
    }

    /// Adds rights to those that a user has, in a section of its own at the end; what is there already stays as it is.
    mutating func grant(_ user: String, rights: [String]) {
        let known = Set(sections.filter { $0.user == user }.flatMap(\.lines))
        let fresh = rights.filter { !known.contains($0) }
        if !fresh.isEmpty { sections.append(Section(user: user, lines: fresh + [""])) }
    }

    /// Takes the user's rights away.
    mutating func remove(_ user: String) { sections.removeAll { $0.user == user } }
}

extension String {
    /// Without the suffix, however often it stands there.
    fileprivate func trimmingSuffix(_ suffix: Character) -> String {
        var text = self[...]
        while text.last == suffix { text = text.dropLast() }
        return String(text)
    }
}
