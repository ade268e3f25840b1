import Foundation
import MessageBus
import Shares
import VigilSchema

/// The participants of a share, and the requests that it answers.
extension Share {
    /// The participants by which rules know a share's notifiers; each share has its own.
    private static let notifiers = TechnicalMetric.participant(service: "vigil-notifier", instance: "")
    private static let requests = "\(Topic.prefix)requests/"

    /// Returns whether a participant belongs to this share: by the partition, or a share's notifier by its name.
    func owns(_ participant: String) -> Bool {
        guard participant.hasPrefix(Self.notifiers), let share = Self.all(of: count).first(where: { participant.hasSuffix("-\($0)") })
        else {
            return Int(Partition(participant: participant).number) % count == number
        }
        return share == self
    }

    /// The name of one of its notifiers in rules.
    func name(ofNotifier notifier: String) -> String { "\(notifier)-\(self)" }

    /// Whether it answers requests about nobody in particular.
    var answersForAll: Bool { owns("all") }

    /// Returns whether it processes a message that every share gets, so that exactly one does.
    func takes(_ message: IncomingMessage) -> Bool {
        if message.topic.hasPrefix(Self.requests) { return answers(participant(in: message.payload)) }
        switch try? Topic(parsing: message.topic) {
        case .moduleStatus(let service, let instance): return owns(TechnicalMetric.participant(service: service, instance: instance))
        default: return true
        }
    }

    private func answers(_ participant: String?) -> Bool {
        guard let participant, participant != "all" else { return answersForAll }
        return owns(participant)
    }

    /// Nil for anything but a request.
    private func participant(in payload: [UInt8]) -> String? {
        // Anybody may publish here. The share that answers for all refuses what is too large.
        guard payload.count <= 65_536 else { return nil }
        return ((try? JSONSerialization.jsonObject(with: Data(payload))) as? [String: Any])?["participant"] as? String
    }
}
