extension Topic {
    /// Reads a topic.
    /// - Throws: `TopicError`, naming the level that is wrong.
    public init(parsing path: String) throws(TopicError) {
        guard path.hasPrefix(Topic.prefix) else { throw TopicError("does not start with \(Topic.prefix)") }
        let levels = path.dropFirst(Topic.prefix.count).split(separator: "/", omittingEmptySubsequences: false)
        switch (levels[0], levels.count) {
        case ("ingest", 4) where levels[2] == "manual":
            self = .manual(participant: try Topic.name(levels[1], "participant"), account: try Topic.name(levels[3], "account"))
        case ("observations", 3), ("observations", 5): self = try Topic.observations(levels)
        case ("history", 2), ("history", 4): self = .history(try Topic.partition(levels[1...]))
        case ("requests", 3):
            self = .request(account: try Topic.name(levels[1], "account"), service: try Topic.name(levels[2], "service"))
        case ("audit", 2): self = .audit(account: try Topic.name(levels[1], "account"))
        case ("responses", 2...): self = try Topic.response(levels)
        case ("modules", 3...4): self = try Topic.module(levels)
        case (_, 3): self = try Topic.ofParticipant(levels)
        default: throw TopicError("is none of the suite's topics, or has too few or too many levels")
        }
    }

    private static func ofParticipant(_ levels: [Substring]) throws(TopicError) -> Topic {
        let kind = levels[0]
        let known: Set<Substring> = [
            "ingest", "latest", "alerts", "alert-events", "receipts", "rejects", "messages",
        ]
        guard known.contains(kind) else { throw TopicError("is none of the suite's topics") }
        let participant = try name(levels[1], "participant")
        let isAlert = kind.hasPrefix("alert")
        let last = try name(levels[2], isAlert ? "rule" : kind == "latest" ? "metric" : kind == "messages" ? "module" : "device")
        return switch kind {
        case "ingest": .ingest(participant: participant, device: last)
        case "latest": .latest(participant: participant, metric: last)
        case "alerts": .alert(participant: participant, rule: last)
        case "alert-events": .alertEvent(participant: participant, rule: last)
        case "receipts": .receipt(participant: participant, device: last)
        case "messages": .message(participant: participant, module: last)
        default: .reject(participant: participant, device: last)
        }
    }

    private static func observations(_ levels: [Substring]) throws(TopicError) -> Topic {
        let partition = try partition(levels[1..<(levels.count - 1)])
        return switch levels[levels.count - 1] {
        case "readings": .readings(partition)
        case "waveforms": .waveforms(partition)
        case "derived": .derived(partition)
        default: throw TopicError("must end with readings, waveforms or derived")
        }
    }

    private static func response(_ levels: [Substring]) throws(TopicError) -> Topic {
        guard !levels[1].isEmpty else { throw TopicError("names no account") }
        return .response(account: String(levels[1]), request: levels.dropFirst(2).joined(separator: "/"))
    }

    private static func module(_ levels: [Substring]) throws(TopicError) -> Topic {
        let service = try name(levels[1], "service")
        if levels.count == 4, levels[3] == "status" {
            return .moduleStatus(service: service, instance: try name(levels[2], "instance"))
        }
        guard levels.count == 3 else { throw TopicError("must end with status") }
        return switch levels[2] {
        case "exchange": .moduleExchange(service: service)
        case "get": .moduleGet(service: service)
        case "set": .moduleSet(service: service)
        default: throw TopicError("must end with exchange, get or set")
        }
    }

    private static func name(_ level: Substring, _ what: String) throws(TopicError) -> String {
        guard Name.isValid(level) else { throw TopicError("has a \(what) that is not 1 to 64 of A-Z a-z 0-9 _ . -") }
        return String(level)
    }
}
