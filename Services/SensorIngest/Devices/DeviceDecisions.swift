import ServiceKit
import Synchronization
import VigilSchema

/// What operators decide about devices: which are in quarantine, and whose they are.
///
/// A decision is in force at once, and kept in the registry. Where processes take each other's place it is first of all kept in the database, from which
/// every other one learns it. Threading: from anywhere.
package final class DeviceDecisions: Sendable {
    private let registry: DeviceRegistry
    private let deviceRules: DeviceRules
    private let statuses: DeviceStatusTracker
    let shared: SharedDecisions?
    /// The newest number of each thing's decisions that are in force here.
    private let applied = Mutex<[SharedDecisions.Thing: Int64]>([:])

    /// - Parameter shared: where decisions are kept besides; nil: this is the only process.
    package init(
        registry: DeviceRegistry, deviceRules: DeviceRules, statuses: DeviceStatusTracker, shared: SharedDecisions? = nil
    ) {
        (self.registry, self.deviceRules, self.statuses, self.shared) = (registry, deviceRules, statuses, shared)
    }

    /// The devices in quarantine, and those that are bound.
    var rules: DeviceRuleSet { deviceRules.rules }

    /// Refuses a device's messages from now on, or takes them again.
    func setQuarantined(_ address: DeviceAddress, _ isQuarantined: Bool) async throws {
        let thing = SharedDecisions.Thing(kind: .quarantine, name: "\(address.participant)/\(address.device)")
        try await keep(thing, isQuarantined ? "yes" : "no")
        try await quarantine(address, isQuarantined)
    }

    /// Binds a device to a participant; nil lets it go.
    func bind(_ device: String, to participant: String?) async throws {
        try await keep(SharedDecisions.Thing(kind: .binding, name: device), participant ?? "")
        try await hold(device, to: participant)
    }

    /// The devices' registry, with what was not written down yet.
    func list() async throws -> [DeviceRegistry.Entry] {
        try await registry.write(deviceRules)
        return try await registry.list()
    }

    /// Everything that was decided here.
    var own: [SharedDecisions.Decision] {
        let rules = rules
        let quarantined = rules.quarantined.map { ("\($0.participant)/\($0.device)", "yes", SharedDecisions.Kind.quarantine) }
        let bound = rules.bindings.map { ($0.key, $0.value, SharedDecisions.Kind.binding) }
        return (quarantined + bound).map { name, value, kind in
            SharedDecisions.Decision(thing: SharedDecisions.Thing(kind: kind, name: name), value: value)
        }
    }

    /// Does what was decided elsewhere, unless something newer is in force here.
    func follow(_ decision: SharedDecisions.Decision) async throws {
        guard isNews(decision.thing, decision.number) else { return }
        do {
            switch decision.thing.kind {
            case .parameter: return
            case .binding: try await follow(binding: decision.thing.name, decision.value)
            case .quarantine: try await follow(quarantine: decision.thing.name, decision.value == "yes")
            }
        } catch {
            // It is to be tried again.
            applied.withLock { $0[decision.thing] = nil }
            throw error
        }
    }

    private func follow(binding device: String, _ value: String) async throws {
        let participant = value.isEmpty ? nil : value
        if rules.bindings[device] != participant { try await hold(device, to: participant) }
    }

    private func follow(quarantine name: String, _ isQuarantined: Bool) async throws {
        let levels = name.split(separator: "/").map(String.init)
        guard levels.count == 2 else { return }
        let address = DeviceAddress(participant: levels[0], device: levels[1])
        if rules.quarantined.contains(address) != isQuarantined { try await quarantine(address, isQuarantined) }
    }

    private func hold(_ device: String, to participant: String?) async throws {
        try await registry.bind(device, to: participant)
        deviceRules.change { $0.bindings[device] = participant }
    }

    private func quarantine(_ address: DeviceAddress, _ isQuarantined: Bool) async throws {
        try await registry.setQuarantined(address, isQuarantined, now: .now)
        deviceRules.change { rules in
            if isQuarantined { rules.quarantined.insert(address) } else { rules.quarantined.remove(address) }
        }
        statuses.set(.admission, of: address, isQuarantined ? 1 : nil, at: .now)
    }

    /// The database counts anew, as after a backup was restored: what it has now is news.
    func forgetNumbers() { applied.withLock { $0 = [:] } }

    /// Keeps a decision for all.
    private func keep(_ thing: SharedDecisions.Thing, _ value: String) async throws {
        guard let shared else { return }
        let number = try await shared.keep(SharedDecisions.Decision(thing: thing, value: value))
        applied.withLock { $0[thing] = number }
    }

    private func isNews(_ thing: SharedDecisions.Thing, _ number: Int64) -> Bool {
        applied.withLock { applied in
            guard number > applied[thing] ?? 0 else { return false }
            applied[thing] = number
            return true
        }
    }
}
