import Foundation
import Signals

/// What goes wrong when: follows from a seed alone.
package struct Schedule: Sendable, CustomStringConvertible {
    /// A fault and when it begins, in seconds from the start of the stream.
    package struct Entry: Sendable, Hashable, CustomStringConvertible {
        package let at: Double
        package let fault: Fault

        package var description: String { "\(String(format: "%4.1f", at)) s: \(fault)" }
    }

    package let entries: [Entry]

    package init(_ entries: [Entry]) { self.entries = entries }

    /// Random faults of the plan's kinds, about one every `interval` seconds.
    package init(_ plan: FaultPlan) {
        var random = SeededGenerator(seed: plan.seed)
        var busy: [String: Double] = [:]
        var entries: [Entry] = []
        var time = 0.5
        while time < plan.seconds {
            if let fault = plan.kinds.randomElement(using: &random)?.fault(plan, using: &random), busy[fault.target, default: 0] <= time {
                entries.append(Entry(at: time, fault: fault))
                busy[fault.target] = time + fault.seconds + 1
            }
            time += Double.random(in: 0.1...2 * plan.interval, using: &random)
        }
        self.entries = entries
    }

    /// Whether the broker forgets: then only a receipt says that a reading is safe.
    package var killsBroker: Bool { entries.contains { $0.fault == .killBroker } }

    package var description: String { entries.map(\.description).joined(separator: "\n") }
}
