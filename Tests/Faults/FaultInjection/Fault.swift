import Foundation
import SignalSynthesis
import SuiteHarness

/// Something that goes wrong with a running suite.
package enum Fault: Sendable, Hashable {
    /// SIGKILL; the service is started again at once.
    case kill(service: String)
    /// SIGSTOP, and SIGCONT after that time.
    case freeze(service: String, seconds: Double)
    /// The broker is stopped as an operator does, and started again.
    case restartBroker
    /// SIGKILL of the broker: it forgets what it has not saved.
    case killBroker
    /// The broker hangs, its connections open.
    case freezeBroker(seconds: Double)
    /// PostgreSQL and all its processes hang, connections open.
    case freezeDatabase(seconds: Double)
    /// `pg_ctl stop -m immediate`, and a start after that time.
    case stopDatabase(seconds: Double)
    /// Connections break, and no new one is made for that time.
    case cut(Link, seconds: Double)
    /// Connections stay, and nothing comes through for that time.
    case stall(Link, seconds: Double)
    /// Everything comes that much later, for a while.
    case delay(Link, milliseconds: Int, seconds: Double)
    /// The disk that SQLite and the services' state are on is full for that time.
    case fillDisk(seconds: Double)
    /// A service's wall clock is wrong by so many seconds for that time.
    case stepClock(service: String, by: Int, seconds: Double)

    /// Clients that misbehave, beside everything else, for that time.
    case hostile(Hostility, seconds: Double)
    /// One of two notifiers hangs for that time.
    case hangNotifier(seconds: Double)
    /// The days of the readings are sealed while they come, for that time.
    case seal(seconds: Double)

    /// Connections that lead through a proxy.
    package enum Link: String, Sendable, Hashable, CaseIterable {
        /// From the services to the broker.
        case broker
        /// From `vigil-timeline` to PostgreSQL.
        case database
    }

    /// The part that must not be hit by two faults at once, because ending one would end the other.
    package var target: String {
        switch self {
        case .kill(let service), .freeze(let service, _): service
        case .restartBroker, .killBroker, .freezeBroker: "mosquitto"
        case .stopDatabase, .freezeDatabase: "postgres"
        case .cut(let link, _), .stall(let link, _), .delay(let link, _, _): "link to the \(link.rawValue)"
        case .fillDisk: "disk"
        case .stepClock(let service, _, _): "clock of \(service)"
        case .hostile(let hostility, _): "\(hostility.rawValue) clients"
        case .hangNotifier: "notifier"
        case .seal: "sealing"
        }
    }

    /// The duration in seconds.
    package var seconds: Double {
        switch self {
        case .kill, .restartBroker, .killBroker: 0
        case .freeze(_, let seconds), .freezeBroker(let seconds), .freezeDatabase(let seconds), .stopDatabase(let seconds),
            .cut(_, let seconds), .stall(_, let seconds), .delay(_, _, let seconds), .fillDisk(let seconds), .stepClock(_, _, let seconds),
            .hostile(_, let seconds), .hangNotifier(let seconds), .seal(let seconds):
            seconds
        }
    }
}

extension Fault: CustomStringConvertible {
    package var description: String {
        let time = String(format: "%.1f s", seconds)
        return switch self {
        case .kill(let service): "SIGKILL of \(service)"
        case .freeze(let service, _): "\(service) frozen for \(time)"
        case .restartBroker: "broker restarted"
        case .killBroker: "SIGKILL of the broker"
        case .freezeBroker: "broker frozen for \(time)"
        case .freezeDatabase: "PostgreSQL frozen for \(time)"
        case .stopDatabase: "PostgreSQL stopped at once for \(time)"
        case .cut: "\(target) cut for \(time)"
        case .stall: "\(target) stalled for \(time)"
        case .delay(_, let milliseconds, _): "\(target) \(milliseconds) ms late for \(time)"
        case .fillDisk: "disk full for \(time)"
        case .stepClock(_, let offset, _): "\(target) wrong by \(offset) s for \(time)"
        case .hostile: "\(target) for \(time)"
        case .hangNotifier: "a notifier hangs for \(time)"
        case .seal: "days sealed for \(time)"
        }
    }
}

/// Kinds of faults, for choosing what a schedule is made of.
package enum FaultKind: String, Sendable, CaseIterable {
    case kill, freeze, restartBroker, killBroker, freezeBroker, freezeDatabase, stopDatabase, cut, stall, delay, fillDisk, stepClock
    case clockless, relativeTimes, retained, responseTopics, oversized, neverAcknowledges, changeProfile, endlessQuestions
    case endlessCorrections, endlessReadings
    case hangNotifier, fillDiskLong, seal

    /// The kinds that hurt nobody but whom they come from: everything else has to go on as if they were not there.
    package static let hostile: [FaultKind] = [
        .clockless, .relativeTimes, .retained, .responseTopics, .oversized, .neverAcknowledges, .changeProfile, .endlessQuestions,
        .endlessCorrections, .endlessReadings, .hangNotifier,
    ]

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
        case .clockless, .relativeTimes, .retained, .responseTopics, .oversized, .neverAcknowledges, .changeProfile, .endlessQuestions,
            .endlessCorrections, .endlessReadings:
            return Hostility(rawValue: rawValue).map { .hostile($0, seconds: seconds) }
        case .seal: return .seal(seconds: max(2, frozen))
        case .hangNotifier: return .hangNotifier(seconds: max(seconds, frozen))
        case .fillDiskLong: return plan.store == .sqlite ? .fillDisk(seconds: plan.longFullDisk) : nil
        case .stepClock: return .stepClock(service: service, by: Int.random(in: -7200...7200, using: &random), seconds: frozen)
        }
    }
}
