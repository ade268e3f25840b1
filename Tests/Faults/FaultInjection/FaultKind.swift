import Signals
import SuiteHarness

/// Kinds of faults, for choosing what a schedule is made of.
package enum FaultKind: String, Sendable, CaseIterable {
    case kill, freeze, restartBroker, killBroker, freezeBroker, freezeDatabase, stopDatabase, cut, stall, delay, fillDisk, stepClock

    /// A fault of this kind with random particulars.
    func fault(_ plan: FaultPlan, using random: inout SeededGenerator) -> Fault? {
        let seconds = Double.random(in: 0.2...plan.longest, using: &random)
        let frozen = Double.random(in: 0.2...plan.longestFreeze, using: &random)
        let service = plan.services.randomElement(using: &random) ?? ""
        let link = plan.links.randomElement(using: &random) ?? .broker
        switch self {
        case .kill: return .kill(service: service)
        case .freeze: return .freeze(service: service, seconds: frozen)
        case .restartBroker: return .restartBroker
        case .killBroker: return .killBroker
        case .freezeBroker: return .freezeBroker(seconds: frozen)
        case .freezeDatabase: return plan.store == .postgres ? .freezeDatabase(seconds: frozen) : nil
        case .stopDatabase: return plan.store == .postgres ? .stopDatabase(seconds: seconds) : nil
        case .cut: return .cut(link, seconds: seconds)
        case .stall: return .stall(link, seconds: seconds)
        case .delay: return .delay(link, milliseconds: Int.random(in: 5...300, using: &random), seconds: seconds)
        case .fillDisk: return plan.store == .sqlite ? .fillDisk(seconds: seconds) : nil
        case .stepClock: return .stepClock(service: service, by: Int.random(in: -7200...7200, using: &random), seconds: frozen)
        }
    }
}
