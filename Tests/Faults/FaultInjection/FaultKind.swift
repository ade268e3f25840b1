/// Kinds of faults, for choosing what a schedule is made of.
package enum FaultKind: String, Sendable, CaseIterable {
    case kill, freeze, restartBroker, killBroker, freezeBroker, stopDatabase, cut, stall, delay, fillDisk

    /// A fault of this kind with random particulars.
    func fault(services: [String], links: [Fault.Link], longest: Double, using random: inout SeededGenerator) -> Fault? {
        let seconds = Double.random(in: 0.2...longest, using: &random)
        switch self {
        case .kill: return services.randomElement(using: &random).map { .kill(service: $0) }
        case .freeze: return services.randomElement(using: &random).map { .freeze(service: $0, seconds: seconds) }
        case .restartBroker: return .restartBroker
        case .killBroker: return .killBroker
        case .freezeBroker: return .freezeBroker(seconds: seconds)
        case .stopDatabase: return .stopDatabase(seconds: seconds)
        case .cut: return links.randomElement(using: &random).map { .cut($0, seconds: seconds) }
        case .stall: return links.randomElement(using: &random).map { .stall($0, seconds: seconds) }
        case .delay:
            let milliseconds = Int.random(in: 5...300, using: &random)
            return links.randomElement(using: &random).map { .delay($0, milliseconds: milliseconds, seconds: seconds) }
        case .fillDisk: return .fillDisk(seconds: seconds)
        }
    }
}
