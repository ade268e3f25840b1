import Foundation
import MessageBus
import Shares
import VigilSchema

/// Whose alerts a share judges, and what it answers.
extension Share {
    /// The participants that a share's notifiers are to the rules: each share has its own.
    private static let notifiers = TechnicalMetric.participant(service: "vigil-notifier", instance: "")
    private static let requests = "\(Topic.prefix)requests/"

    /// Returns whether a participant is this share's: by the partition, and a notifier of a share by its name.
    func owns(_ participant: String) -> Bool {
        guard participant.hasPrefix(Self.notifiers), let share = Self.all(of: count).first(where: { participant.hasSuffix("-\($0)") })
        else {
            return Int(Partition(participant: participant).number) % count == number
        }
        return share == self
    }

    /// The name by which the rules know one of its notifiers.
    func name(ofNotifier notifier: String) -> String { "\(notifier)-\(self)" }

    /// A Boolean value that indicates whether it answers what is asked of nobody in particular: the share of whoever may be called so.
    var answersForAll: Bool { owns("all") }

    /// Returns whether it takes a message that every share gets, so that each is taken once.
    func takes(_ message: IncomingMessage) -> Bool {
        if message.topic.hasPrefix(Self.requests) { return answers(participant(in: message.payload)) }
        switch try? Topic(parsing: message.topic) {
        case .alertCommand(let participant, _): return answers(participant)
        case .moduleStatus(let service, let instance): return owns(TechnicalMetric.participant(service: service, instance: instance))
        default: return true
        }
    }

    private func answers(_ participant: String?) -> Bool {
        guard let participant, participant != "all" else { return answersForAll }
        return owns(participant)
    }

    /// Nil for what is no request.
    private func participant(in payload: [UInt8]) -> String? {
        // Anybody may send anything: what is too large to be a request is refused by the one who answers for all.
        guard payload.count <= 65_536 else { return nil }
        return ((try? JSONSerialization.jsonObject(with: Data(payload))) as? [String: Any])?["participant"] as? String
    }
}
