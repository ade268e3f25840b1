import Synchronization

/// The meeting place of the reading of messages, the registry and the operator's commands: rules in one direction, changes in the other.
///
/// Threading: from anywhere. Bounded: changes are merged by device, and `isFull` says when they should be written down.
package final class DeviceRules: Sendable {
    fileprivate struct State {
        var rules = DeviceRuleSet()
        var version = 1
        var changes = Changes()
        /// The changes that are being written down, by the number of the attempt: two may be under way.
        var taken: [Int: Changes] = [:]
        var attempts = 0
    }

    /// What is to be written down.
    struct Changes: Sendable {
        /// The number of the attempt to write them down.
        fileprivate var attempt = 0
        fileprivate var byAddress: [DeviceAddress: DeviceChange] = [:]
        fileprivate(set) var bindings: [String: String] = [:]

        var devices: [DeviceChange] { Array(byAddress.values) }

        var isEmpty: Bool { byAddress.isEmpty && bindings.isEmpty }
    }

    /// More devices are not bound: names are the publishers' choice.
    package static let maximumBindings = 100_000
    private static let maximumChanges = 5000
    private let state: Mutex<State>

    package init(rules: DeviceRuleSet = DeviceRuleSet()) {
        var state = State()
        state.rules = rules
        self.state = Mutex(state)
    }

    /// The rules, where they are newer than the version that is known.
    func rules(newerThan version: Int) -> (rules: DeviceRuleSet, version: Int)? {
        state.withLock { $0.version > version ? ($0.rules, $0.version) : nil }
    }

    /// The counts of a device's day counters, as far as they are known.
    func counts(of address: DeviceAddress) -> DayCounts? { state.withLock { $0.rules.counts[address] } }

    /// The rules as they are.
    package var rules: DeviceRuleSet { state.withLock { $0.rules } }

    /// Changes the rules.
    package func change(_ body: (inout DeviceRuleSet) -> Void) {
        state.withLock { state in
            body(&state.rules)
            state.version += 1
        }
    }

    /// Binds a device that is not bound yet; false where there are too many.
    func bind(_ device: String, to participant: String) -> Bool {
        state.withLock { state in
            guard state.rules.bindings.count < DeviceRules.maximumBindings else { return false }
            state.rules.bindings[device] = participant
            state.changes.bindings[device] = participant
            return true
        }
    }

    /// Takes note of what happened.
    func record(_ changes: [DeviceChange]) {
        state.withLock { state in
            for change in changes {
                if state.changes.byAddress[change.address]?.merge(change) == nil { state.changes.byAddress[change.address] = change }
                if let verdict = change.clock { state.note(verdict, of: change.address) }
                // Without a new version: only a record that is made anew looks for it.
                if let counts = change.counts { state.keep(counts, of: change.address) }
            }
        }
    }

    /// Forgets a participant's devices, also what was still to be written down of them.
    package func erase(participant: String) {
        state.withLock { state in
            state.rules.quarantined = state.rules.quarantined.filter { $0.participant != participant }
            state.rules.bindings = state.rules.bindings.filter { $0.value != participant }
            state.rules.offsets = state.rules.offsets.filter { $0.key.participant != participant }
            state.rules.counts = state.rules.counts.filter { $0.key.participant != participant }
            state.changes.erase(participant)
            for attempt in state.taken.keys { state.taken[attempt]?.erase(participant) }
            state.version += 1
        }
    }

    /// A Boolean value that indicates whether changes should be written down before more are made.
    var isFull: Bool { state.withLock { $0.changes.byAddress.count >= DeviceRules.maximumChanges } }

    /// The changes to be written down; then `written` or `notWritten` is to be called with them.
    func takeChanges() -> Changes {
        state.withLock { state in
            var changes = state.changes
            state.changes = Changes()
            guard !changes.isEmpty else { return changes }
            state.attempts += 1
            changes.attempt = state.attempts
            state.taken[changes.attempt] = changes
            return changes
        }
    }

    /// What was taken is on disk.
    func written(_ changes: Changes) { state.withLock { $0.taken[changes.attempt] = nil } }

    /// What was taken is not on disk, and is to be written next time, with what came meanwhile. Of very many devices only who is whose: the rest is for
    /// people.
    func notWritten(_ changes: Changes) {
        state.withLock { state in
            // Without those who were erased meanwhile.
            guard var all = state.taken.removeValue(forKey: changes.attempt) else { return }
            all.attempt = 0
            all.bindings.merge(state.changes.bindings) { _, later in later }
            for (address, change) in state.changes.byAddress where all.byAddress[address]?.merge(change) == nil {
                all.byAddress[address] = change
            }
            if all.byAddress.count > Self.maximumChanges { all.byAddress = state.changes.byAddress }
            state.changes = all
        }
    }
}

extension DeviceRules.State {
    fileprivate mutating func keep(_ counts: DayCounts, of address: DeviceAddress) {
        guard rules.counts[address] != nil || rules.counts.count < DeviceRules.maximumBindings else { return }
        rules.counts[address] = counts
    }

    /// A device that was forgotten meanwhile is judged by its newest verdict, and not by that of the start.
    fileprivate mutating func note(_ verdict: Int64?, of address: DeviceAddress) {
        guard rules.offsets[address] != verdict else { return }
        guard verdict == nil || rules.offsets[address] != nil || rules.offsets.count < DeviceRules.maximumBindings else { return }
        rules.offsets[address] = verdict
        version += 1
    }
}

extension DeviceRules.Changes {
    fileprivate mutating func erase(_ participant: String) {
        byAddress = byAddress.filter { $0.key.participant != participant }
        bindings = bindings.filter { $0.value != participant }
    }
}

/// The decisions about single devices.
package struct DeviceRuleSet: Sendable, Hashable {
    /// Those whose messages are refused.
    package var quarantined: Set<DeviceAddress> = []
    /// The participant of a device, by its name.
    package var bindings: [String: String] = [:]
    /// Clocks' offsets in microseconds, to be added to their times.
    package var offsets: [DeviceAddress: Int64] = [:]
    /// The counts of day counters.
    var counts: [DeviceAddress: DayCounts] = [:]

    package init() {}
}

/// The operator's policy for devices. Settings that change while running: it is looked up for each delivery.
package struct DevicePolicy: Sendable, Hashable {
    /// A Boolean value that indicates whether times are corrected by the clock's offset.
    package var correctsClocks: Bool
    /// A Boolean value that indicates whether a device belongs to the participant for whom it sent first.
    package var bindsDevices: Bool
    /// Messages a second of one device; nil for no limit.
    package var rate: Double?
    /// Readings a second of one device that are stored along with everybody's; nil for no limit.
    package var budget: Double?
    /// The zone of the wearers' days, for counts that bring no time.
    package var zone: DayZone

    package init(
        correctsClocks: Bool = false, bindsDevices: Bool = false, rate: Double? = nil, budget: Double? = nil,
        zone: DayZone = .ofMachine
    ) {
        self.budget = budget
        self.zone = zone
        self.correctsClocks = correctsClocks
        self.bindsDevices = bindsDevices
        self.rate = rate
    }
}
