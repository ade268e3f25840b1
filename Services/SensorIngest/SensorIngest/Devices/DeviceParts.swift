import ServiceKit

/// The registry of a running service, and what serves it.
struct DeviceParts {
    let desk: DeviceDesk
    /// Looked up for each delivery.
    let policy: @Sendable () -> IngestPolicy
    /// To stand before the pipeline in the group.
    let members: [ServiceGroup.Member]

    init(_ context: ServiceContext) async throws {
        let registry = try DeviceRegistry(path: try context.stateFile("devices.sqlite"))
        desk = DeviceDesk(rules: try await registry.rules())
        DeviceParameters(registry: registry, desk: desk).add(to: context.exchange)
        let corrects = try await context.exchange.live(SensorIngestService.correctClocks, context.configuration)
        let binds = try await context.exchange.live(SensorIngestService.bindDevices, context.configuration)
        let rate = try await context.exchange.live(SensorIngestService.rateLimit, context.configuration)
        let latest = try await context.exchange.live(SensorIngestService.latest, context.configuration)
        policy = {
            let devices = DevicePolicy(
                correctsClocks: corrects.current, bindsDevices: binds.current, rate: rate.current == 0 ? nil : Double(rate.current))
            return IngestPolicy(devices: devices, publishesLatest: latest.current)
        }
        members = [ServiceGroup.Member("registry", RegistryWriter(registry: registry, desk: desk, log: context.logger))]
    }
}
