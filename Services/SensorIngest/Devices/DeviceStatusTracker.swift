import Synchronization
package import VigilSchema

/// The problem with devices, and what of it is still to be told. Threading: from anywhere. Bounded: beyond `capacity` devices with
/// something wrong, further ones are left out.
package final class DeviceStatusTracker: Sendable {
    /// The news to be told of one participant's devices.
    package struct Due: Sendable, Hashable {
        package let aspect: DeviceAspect
        package let participant: String
        package let content: Observation.Content
    }

    private struct Trouble {
        var worth: Double
        var noted: Timestamp
    }

    private struct State {
        var wrong: [DeviceAspect: [DeviceAddress: Trouble]] = [:]
        /// Participants.
        var changed: [DeviceAspect: Set<String>] = [:]
        var reminded: Timestamp?
    }

    /// Excess is noted every minute while it lasts; without that it is over. An extreme value is a matter of half an hour. A battery that is not
    /// reported for three days is unknown.
    private static func ends(_ aspect: DeviceAspect) -> Double? {
        switch aspect {
        case .rate: 90
        case .extreme: 1800
        case .battery: 259_200
        case .admission, .clock, .server: nil
        }
    }
    /// A battery with less used than this, in per cent, is no problem that is told again.
    private static let worn = 70.0
    /// The time after which a problem is told again, for whoever missed it.
    private static let reminder = 1800.0
    private let state = Mutex(State())
    private let capacity: Int

    package init(capacity: Int = 10_000) { self.capacity = capacity }

    /// Takes note of one aspect of a device.
    /// - Parameter worth: what is wrong, as a number to compare by its magnitude; nil where nothing is.
    package func set(_ aspect: DeviceAspect, of address: DeviceAddress, _ worth: Double?, at time: Timestamp) {
        state.withLock { state in
            let known = state.wrong[aspect]?[address]
            guard worth == nil || known != nil || state.wrong[aspect, default: [:]].count < capacity else { return }
            state.wrong[aspect, default: [:]][address] = worth.map { Trouble(worth: $0, noted: time) }
            if worth == nil || known?.worth != worth { state.changed[aspect, default: []].insert(address.participant) }
        }
    }

    /// Takes note of what the reading of messages noticed.
    package func note(_ notices: [DeviceNotice], at time: Timestamp) {
        for notice in notices {
            switch notice {
            // A clock that is corrected does no harm. The metric says how far it is ahead, the notice how far behind.
            case .clock(let address, let seconds, let isCorrected):
                set(.clock, of: address, isCorrected ? nil : seconds.map { -Double($0) }, at: time)
            case .excess(let address): set(.rate, of: address, 1, at: time)
            case .extreme(let address, let metric, let isOn): set(.extreme(metric), of: address, isOn ? 1 : nil, at: time)
            case .flood: continue
            }
        }
    }

    /// Takes note of the charge of devices' batteries, in per cent.
    /// - Parameter read: Devices that sent theirs as a reading: what was known of them before a restart is old.
    package func note(batteries: [DeviceAddress: Double], read: Set<DeviceAddress> = [], at time: Timestamp) {
        for (address, charge) in batteries { set(.battery, of: address, (100 - charge).rounded(), at: time) }
        for address in read where batteries[address] == nil && isWrong(.battery, with: address) {
            set(.battery, of: address, nil, at: time)
        }
    }

    private func isWrong(_ aspect: DeviceAspect, with address: DeviceAddress) -> Bool {
        state.withLock { $0.wrong[aspect]?[address] != nil }
    }

    /// Forgets what is wrong with a participant's devices.
    package func erase(participant: String) {
        state.withLock { state in
            for aspect in state.wrong.keys { state.wrong[aspect] = state.wrong[aspect]?.filter { $0.key.participant != participant } }
            for aspect in state.changed.keys { state.changed[aspect]?.remove(participant) }
        }
    }

    /// Begins anew where another process has told of devices meanwhile: what was noted before, and is not decided by an operator, is old.
    package func forgetObserved() {
        state.withLock { state in
            for aspect in DeviceAspect.allCases where aspect != .admission {
                state.wrong[aspect] = nil
                state.changed[aspect] = nil
            }
        }
    }

    /// Tells again what a registry knew before a restart: the lowest battery is not to be taken for a better one's.
    package func restore(_ registry: DeviceRegistry, correctsClocks: Bool, at time: Timestamp) async throws {
        restore(try await registry.rules(), correctsClocks: correctsClocks, at: time)
        for (address, known) in try await registry.batteries(since: time.advanced(bySeconds: -(Self.ends(.battery) ?? 0))) {
            note(batteries: [address: known.charge], at: min(known.heard, time))
        }
    }

    /// Tells again what was decided before a restart.
    package func restore(_ rules: DeviceRuleSet, correctsClocks: Bool, at time: Timestamp) {
        for address in rules.quarantined { set(.admission, of: address, 1, at: time) }
        guard !correctsClocks else { return }
        for (address, offset) in rules.offsets { set(.clock, of: address, -Double(offset / 1_000_000), at: time) }
    }

    /// The news to be told now; it counts as told then.
    package func due(at now: Timestamp) -> [Due] {
        state.withLock { state in
            Self.endExcess(&state, at: now)
            Self.remind(&state, at: now)
            defer { state.changed.removeAll() }
            return DeviceAspect.allCases.flatMap { Self.due($0, state) }
        }
    }

    /// Puts back what could not be told, which then comes again.
    package func putBack(_ due: [Due]) {
        state.withLock { state in
            for due in due { state.changed[due.aspect, default: []].insert(due.participant) }
        }
    }

    private static func due(_ aspect: DeviceAspect, _ state: State) -> [Due] {
        guard let participants = state.changed[aspect] else { return [] }
        var worst: [String: Double] = [:]
        for (address, trouble) in state.wrong[aspect] ?? [:] where participants.contains(address.participant) {
            if worst[address.participant].map({ abs(trouble.worth) > abs($0) }) ?? true { worst[address.participant] = trouble.worth }
        }
        return participants.sorted().compactMap { participant in
            // The charge of no device is no charge.
            if aspect == .battery, worst[participant] == nil { return nil }
            return Due(aspect: aspect, participant: participant, content: aspect.content(worst[participant]))
        }
    }

    /// Where the clock was set back, what was noted ahead of it counts as noted now.
    private static func endExcess(_ state: inout State, at now: Timestamp) {
        for (aspect, troubles) in state.wrong {
            guard let seconds = ends(aspect) else { continue }
            for (address, trouble) in troubles {
                if trouble.noted > now { state.wrong[aspect]?[address]?.noted = now }
                guard trouble.noted < now.advanced(bySeconds: -seconds) else { continue }
                state.wrong[aspect]?[address] = nil
                state.changed[aspect, default: []].insert(address.participant)
            }
        }
    }

    private static func remind(_ state: inout State, at now: Timestamp) {
        if let last = state.reminded, last <= now, now < last.advanced(bySeconds: reminder) { return }
        for (aspect, devices) in state.wrong {
            let told = devices.lazy.filter { aspect != .battery || $0.value.worth > worn }.map(\.key.participant)
            if !told.isEmpty { state.changed[aspect, default: []].formUnion(told) }
        }
        state.reminded = now
    }
}

/// The news told of a participant's devices as technical metrics, which alert rules name.
package enum DeviceAspect: Sendable, Hashable, CaseIterable {
    /// A Boolean value that indicates whether their messages are taken.
    case admission
    /// By how many seconds a clock is ahead.
    case clock
    /// A Boolean value that indicates whether they keep to their rate.
    case rate
    /// A Boolean value that indicates whether the server answers that is polled for one.
    case server
    /// A Boolean value that indicates whether they send extreme values of a metric, which are refused.
    case extreme(String)
    /// The used part of the battery, in per cent.
    case battery

    package static var allCases: [DeviceAspect] {
        [.admission, .clock, .rate, .server] + TechnicalMetric.extremes.map(DeviceAspect.extreme) + [.battery]
    }

    /// The metric's name.
    package var metric: String {
        switch self {
        case .admission: TechnicalMetric.deviceStatus
        case .clock: TechnicalMetric.clockOffset
        case .rate: TechnicalMetric.deviceRate
        case .server: TechnicalMetric.deviceServer
        case .extreme(let metric): TechnicalMetric.refusedExtreme(of: metric)
        case .battery: "battery-level"
        }
    }

    /// The metric's unit.
    package var unit: String { self == .clock ? "s" : self == .battery ? "%" : "1" }

    /// The content that is told.
    /// - Parameter worst: what is wrong with the device with which it is worst; nil where nothing is.
    package func content(_ worst: Double?) -> Observation.Content {
        switch self {
        case .admission: .text(worst == nil ? "active" : "quarantined")
        case .clock: .value(worst ?? 0)
        case .rate: .text(worst == nil ? "within-limit" : "exceeded")
        case .server: .text(worst == nil ? "answering" : "failing")
        case .extreme: .text(worst == nil ? "none" : "refused")
        case .battery: .value(100 - (worst ?? 0))
        }
    }
}
