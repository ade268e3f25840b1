import Synchronization

/// The meeting place of the reading of messages, the registry and the operator's commands: rules in one direction, changes in the other.
///
/// Threading: from anywhere. Bounded: changes are merged by device, and `isFull` says when they should be written down.
package final class DeviceRules: Sendable {
    private struct State {
        var rules = DeviceRuleSet()
        var version = 1
        var changes: [DeviceAddress: DeviceChange] = [:]
        var bindings: [String: String] = [:]
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
            state.bindings[device] = participant
            return true
        }
    }

    /// Takes note of what happened.
    func record(_ changes: [DeviceChange]) {
        state.withLock { state in
            for change in changes {
                if state.changes[change.address]?.merge(change) == nil { state.changes[change.address] = change }
            }
        }
    }

    /// Forgets a participant's devices, also what was still to be written down of them.
    package func erase(participant: String) {
        state.withLock { state in
            state.rules.quarantined = state.rules.quarantined.filter { $0.participant != participant }
            state.rules.bindings = state.rules.bindings.filter { $0.value != participant }
            state.rules.offsets = state.rules.offsets.filter { $0.key.participant != participant }
            state.changes = state.changes.filter { $0.key.participant != participant }
            state.bindings = state.bindings.filter { $0.value != participant }
            state.version += 1
        }
    }

    /// A Boolean value that indicates whether changes should be written down before more are made.
    var isFull: Bool { state.withLock { $0.changes.count >= DeviceRules.maximumChanges } }

    /// The changes to be written down.
    func takeChanges() -> (devices: [DeviceChange], bindings: [String: String]) {
        state.withLock { state in
            defer {
                state.changes.removeAll(keepingCapacity: true)
                state.bindings.removeAll()
            }
            return (Array(state.changes.values), state.bindings)
        }
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

    package init(correctsClocks: Bool = false, bindsDevices: Bool = false, rate: Double? = nil) {
        self.correctsClocks = correctsClocks
        self.bindsDevices = bindsDevices
        self.rate = rate
    }
}
