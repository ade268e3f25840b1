import VigilSchema

/// What kind of account it is.
enum AccountRole: String, Sendable, CaseIterable {
    case device, subscriber, carer
}

/// An account at the broker and the topics that it may use. What is not named is refused by the broker.
struct Account: Sendable, Equatable {
    let name: String
    let role: AccountRole
    let participants: [String]
    let device: String

    /// The lines of the broker's access list that follow `user`.
    var rights: [String] {
        switch role {
        case .device: participants.flatMap(deviceRights)
        case .subscriber: participants.flatMap(subscriberRights)
        case .carer:
            participants.flatMap { subscriberRights($0) + ["topic write \(Topic.prefix)alert-commands/\($0)/+"] }
        }
    }

    private func deviceRights(_ participant: String) -> [String] {
        let receipt = Topic.receipt(participant: participant, device: device).path
        return [
            "topic write \(Topic.ingest(participant: participant, device: device).path)", "topic read \(receipt)",
            "topic read \(receipt)/#",
            "topic read \(Topic.reject(participant: participant, device: device).path)",
        ]
    }

    private func subscriberRights(_ participant: String) -> [String] {
        ["alerts", "alert-events", "latest"].map { "topic read \(Topic.prefix)\($0)/\(participant)/+" }
    }
}
