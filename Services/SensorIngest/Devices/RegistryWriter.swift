package import ServiceKit

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
