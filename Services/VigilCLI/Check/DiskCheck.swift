import MessageBus

/// Do the services have room to store? What `vigil check` finds out from each of them.
enum DiskCheck {
    private static let what = "room on disk"

    /// Asks the services.
    static func finding(_ session: BrokerSession, _ services: [String]) async -> CheckReport.Finding {
        var answers: [(service: String, room: String)] = []
        for service in services {
            do {
                let room = try await ModuleClient(session: session, service: service, timeout: .seconds(5)).run { try await $0.get("disk") }
                answers.append((service, room))
            } catch {
                answers.append((service, "unknown: \(error)"))
            }
        }
        return finding(answers)
    }

    /// Judges the answers, each a level and the room in words.
    static func finding(_ answers: [(service: String, room: String)]) -> CheckReport.Finding {
        let short = answers.filter { !$0.room.hasPrefix("ample:") }
        guard !short.isEmpty else { return .init(what: what, isWell: true, words: "every service has enough") }
        let words = short.map { "\($0.service) \($0.room)" }.joined(separator: "; ")
        let isFull = short.contains { $0.room.hasPrefix("almost-full:") }
        let next = "; free space on the disk of its state folder, or shorten the retention"
        return .init(what: what, isWell: !isFull, words: words + next, isWarning: !isFull)
    }
}
