import ServiceKit

/// The registry of a running service, and what serves it.
struct DeviceParts {
    let registry: DeviceRegistry
    let deviceRules: DeviceRules
    let statuses = DeviceStatusBoard()
    /// Looked up for each delivery.
    let policy: @Sendable () -> IngestPolicy
    /// To stand before the pipeline in the group.
    let members: [ServiceGroup.Member]

    init(_ context: ServiceContext, _ delivery: Delivery) async throws {
        let registry = try DeviceRegistry(path: try context.stateFile("devices.sqlite"))
        self.registry = registry
        let rules = try await registry.rules()
        deviceRules = DeviceRules(rules: rules)
        DeviceParameters(registry: registry, deviceRules: deviceRules, statuses: statuses).add(to: context.exchange)
        let corrects = try await context.exchange.live(SensorIngestService.correctClocks, context.configuration)
        let binds = try await context.exchange.live(SensorIngestService.bindDevices, context.configuration)
        let rate = try await context.exchange.live(SensorIngestService.rateLimit, context.configuration)
        let latest = try await context.exchange.live(SensorIngestService.latest, context.configuration)
        policy = {
            let devices = DevicePolicy(
                correctsClocks: corrects.current, bindsDevices: binds.current, rate: rate.current == 0 ? nil : Double(rate.current))
            return IngestPolicy(devices: devices, publishesLatest: latest.current)
        }
        statuses.restore(rules, correctsClocks: corrects.current, at: .now)
        let reporter = DeviceStatusReporter(board: statuses, delivery: delivery, log: context.logger, now: { .now })
        members = [
            ServiceGroup.Member("registry", RegistryWriter(registry: registry, deviceRules: deviceRules, log: context.logger)),
            ServiceGroup.Member("device-status", reporter),
        ]
    }
}
