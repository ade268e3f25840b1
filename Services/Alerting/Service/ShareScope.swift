import Shares
import VigilSchema

/// Whose alerts a share judges.
extension Share {
    /// The participants that a share's notifiers are to the rules: each share has its own.
    private static let notifiers = TechnicalMetric.participant(service: "vigil-notifier", instance: "")

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

    /// A Boolean value that indicates whether it answers what is asked of nobody in particular.
    var answersForAll: Bool { number == 0 }
}
