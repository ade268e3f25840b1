package import Access
package import Observability
import SQLiteDatabase
import ServiceKit
package import VigilSchema

/// The devices that have ever sent, in a SQLite file, and what was decided about them.
///
/// An actor: one caller at a time; a call that changes something has reached the disk when it returns.
package actor DeviceRegistry {
    /// One device as it is listed.
    package struct Entry: Sendable, Hashable, Codable {
        package var participant: String
        package var device: String
        /// Unix seconds.
        package var firstSeen: Double
        package var lastSeen: Double
        package var messages: Int
        package var accepted: Int
        package var refused: Int
        package var lastRejectCode: String?
        package var lastReject: String?
        package var lastRejectTime: Double?
        /// Seconds that the device's times are behind; negative: ahead.
        package var clockOffset: Double?
        package var quarantined: Bool
        package var boundTo: String?
        /// In per cent.
        package var battery: Double?
        /// With its unit.
        package var signal: String?
        package var firmware: String?
        /// Unix seconds, as the device's bridge reports it.
        package var lastContact: Double?
    }

    /// Beyond it those who were silent for longest are forgotten. Not what is in quarantine: nobody takes that back.
    private let capacity: Int
    private let state: ServiceState

    /// Opens or makes the file.
    package init(path: String, capacity: Int = 100_000) throws {
        self.capacity = capacity
        state = try ServiceState(path: path, migrations: DeviceSchema.migrations)
    }

    /// Returns the decisions so far, for the start.
    package func rules() async throws -> DeviceRuleSet {
        try await state.read { database in
            var rules = DeviceRuleSet()
            let devices = try database.statement("SELECT participant, device, quarantined, clock_offset, counts FROM devices")
            defer { devices.reset() }
            while try devices.step() {
                let address = DeviceAddress(participant: devices.text(0), device: devices.text(1))
                if devices.integer(2) != 0 { rules.quarantined.insert(address) }
                if !devices.isNull(3) { rules.offsets[address] = devices.integer(3) }
                if !devices.isNull(4) { rules.counts[address] = DayCounts(json: devices.text(4)) }
            }
            let bindings = try database.statement("SELECT device, participant FROM bindings")
            defer { bindings.reset() }
            while try bindings.step() { rules.bindings[bindings.text(0)] = bindings.text(1) }
            return rules
        }
    }

    /// The charges of batteries that are known of devices heard since a time, and when each was heard last.
    package func batteries(since time: Timestamp) async throws -> [DeviceAddress: (charge: Double, heard: Timestamp)] {
        try await state.read { database in
            let row = try database.statement(
                "SELECT participant, device, battery, last_seen FROM devices WHERE battery IS NOT NULL AND last_seen >= ?")
            defer { row.reset() }
            try row.bind(time.microseconds, at: 1)
            var batteries: [DeviceAddress: (charge: Double, heard: Timestamp)] = [:]
            while try row.step() {
                batteries[DeviceAddress(participant: row.text(0), device: row.text(1))] = (
                    row.real(2), Timestamp(microseconds: row.integer(3))
                )
            }
            return batteries
        }
    }

    /// Writes down what happened, in one transaction. Where that fails it is written with what happens next.
    package func write(_ deviceRules: DeviceRules) async throws {
        let changes = deviceRules.takeChanges()
        guard !changes.isEmpty else { return }
        do {
            try await state.transaction { [capacity] database in
                for change in changes.devices { try DeviceSchema.write(change, database) }
                for (device, participant) in changes.bindings { try DeviceSchema.bind(device, to: participant, database) }
                try database.run(
                    "DELETE FROM devices WHERE rowid IN (SELECT rowid FROM devices WHERE quarantined = 0 ORDER BY last_seen DESC LIMIT -1 OFFSET ?)",
                    [.integer(Int64(capacity))])
            }
            deviceRules.written(changes)
        } catch {
            deviceRules.notWritten(changes)
            throw error
        }
    }

    /// Refuses a device's messages from now on, or takes them again.
    package func setQuarantined(_ address: DeviceAddress, _ isQuarantined: Bool, now: Timestamp) async throws {
        try await state.transaction { database in
            func decide() throws {
                try database.run(
                    "UPDATE devices SET quarantined = ? WHERE participant = ? AND device = ?",
                    [.integer(isQuarantined ? 1 : 0), .text(address.participant), .text(address.device)])
            }
            try decide()
            // To decide about a device is not to hear from it: only one that never sent is written down with that time.
            guard database.changes == 0 else { return }
            try DeviceSchema.write(DeviceChange(address: address, at: now), database)
            try decide()
        }
    }

    /// Binds a device to a participant; nil lets it go.
    package func bind(_ device: String, to participant: String?) async throws {
        try await state.transaction { database in
            if let participant { return try DeviceSchema.bind(device, to: participant, database) }
            try database.run("DELETE FROM bindings WHERE device = ?", [.text(device)])
        }
    }

    /// Removes a participant's devices and bindings, and overwrites them in the file and its log.
    /// - Returns: how many there were.
    package func erase(participant: String) async throws -> Int {
        let count = try await state.transaction { database in
            try database.run("DELETE FROM devices WHERE participant = ?", [.text(participant)])
            let devices = database.changes
            try database.run("DELETE FROM bindings WHERE participant = ?", [.text(participant)])
            return devices + database.changes
        }
        try await state.wipe()
        return count
    }

    /// A participant's devices, and those that are bound to the participant whatever they send. Times are in microseconds since 1970.
    package func personalData(of participant: String) async throws -> PersonalData {
        try await state.read { database in
            let devices = try database.objects("SELECT * FROM devices WHERE participant = ?", [.text(participant)])
            let bindings = try database.objects(
                "SELECT device, participant AS bound_to FROM bindings WHERE participant = ?", [.text(participant)])
            return try PersonalData("devices", devices + bindings)
        }
    }

    /// The devices heard last, the latest first.
    package func list(limit: Int = 1000) async throws -> [Entry] {
        try await state.read { try DeviceSchema.list(limit: limit, $0) }
    }
}

/// Writes the registry once a second, and once more when it is stopped: never for each message.
package struct RegistryWriter: Service {
    private let registry: DeviceRegistry
    private let deviceRules: DeviceRules
    private let log: Logger
    private let clock: any Clock<Duration>

    package init(registry: DeviceRegistry, deviceRules: DeviceRules, log: Logger, clock: any Clock<Duration> = ContinuousClock()) {
        self.registry = registry
        self.deviceRules = deviceRules
        self.log = log
        self.clock = clock
    }

    package func run() async throws {
        while true {
            var isStopped = false
            do { try await clock.sleep(for: .seconds(1)) } catch { isStopped = true }
            do {
                try await registry.write(deviceRules)
            } catch {
                // The registry is for people; readings go on without it.
                log.error("the registry of devices was not written", ["error": "\(error)"])
            }
            if isStopped { return }
        }
    }
}
