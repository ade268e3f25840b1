import ServiceKit

/// The settings of `vigil up`.
enum UpSettings {
    static let port = Setting.optional(
        "broker-port", .integer(in: 1...65535),
        help: "The broker's port on 127.0.0.1; by default 1883, or the next one that is free.")
    static let program = Setting("mosquitto", .path, default: "/usr/sbin/mosquitto", help: "The broker's program.")
    static let configuration = Setting.optional(
        "mosquitto-settings", .path,
        help: "The broker's settings; by default deploy/mosquitto/mosquitto.conf of the checkout or /usr/share/vigil/mosquitto.conf.")
    static let healthPort = Setting(
        "health-port", .integer(in: 1...65000), default: 9101,
        help: "The first service's port for /healthz, /readyz and /metrics; the others follow.")
    static let readyWithin = Setting(
        "ready-within", .duration(in: .seconds(1) ... .seconds(600)), default: .seconds(60),
        help: "How long the services may take to be ready.")
    static let own: [any AnySetting] = [port, program, configuration, healthPort, readyWithin]

    /// Settings of the services that `vigil up` decides by itself.
    private static let decided = Set(CommonSettings.database.map(\.declaration.name)).union([
        "broker-host", "broker-port", "client-id", "instance", "http-host", "http-port", "supervised", "broker-tls",
    ])

    /// The settings of the services that an operator may give to `vigil up`; they reach the services that know them.
    static let passedOn: [any AnySetting] = {
        var seen = decided.union(own.map(\.declaration.name))
        return Suite.services.flatMap(\.settings).filter { seen.insert($0.declaration.name).inserted }
    }()
}
