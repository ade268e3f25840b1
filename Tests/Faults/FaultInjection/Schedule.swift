/// What goes wrong when: follows from a seed alone.
package struct Schedule: Sendable, CustomStringConvertible {
    /// A fault and when it begins, in seconds from the start of the stream.
    package struct Entry: Sendable, Hashable {
        package let at: Double
        package let fault: Fault
    }

    package let entries: [Entry]

    package init(_ entries: [Entry]) { self.entries = entries }

    /// Random faults of the given kinds, about one every `interval` seconds.
    /// - Parameters:
    ///   - longest: seconds that a fault lasts at most.
    package init(
        seed: UInt64, seconds: Double, interval: Double, longest: Double, kinds: [FaultKind], services: [String], links: [Fault.Link]
    ) {
        var random = SeededGenerator(seed: seed)
        var busy: [String: Double] = [:]
        var entries: [Entry] = []
        var time = 0.5
        while time < seconds {
            let made = kinds.randomElement(using: &random)?.fault(services: services, links: links, longest: longest, using: &random)
            if let fault = made, busy[fault.target, default: 0] <= time {
                entries.append(Entry(at: time, fault: fault))
                busy[fault.target] = time + fault.seconds + 1
            }
            time += Double.random(in: 0.1...2 * interval, using: &random)
        }
        self.entries = entries
    }

    package var description: String {
        entries.map { "\(($0.at * 100).rounded() / 100) s: \($0.fault)" }.joined(separator: "\n")
    }
}
