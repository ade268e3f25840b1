import ServiceKit

/// The settings of `vigil simulate`.
enum SimulateSettings {
    static let device = Setting("device", .name, default: "simulator", help: "The device's name.")
    static let seconds = Setting.optional(
        "seconds", .integer(in: 1...31_536_000), help: "How many seconds of the wearer's life; by default without end.")
    static let speed = Setting(
        "speed", .number(in: 0.01...10_000), default: 1,
        help: "How many times real time. Faster than real time needs --seconds; the wearer's life then ends now.")
    static let seed = Setting("seed", .integer(in: 0...Int.max), default: 1, help: "Another number is another wearer.")
    static let rest = Setting("rest", .integer(in: 1...86_400), default: 600, help: "Seconds of rest in each round.")
    static let stress = Setting("stress", .integer(in: 1...86_400), default: 300, help: "Seconds of stress in each round.")
    static let recovery = Setting("recovery", .integer(in: 1...86_400), default: 480, help: "Seconds of recovery in each round.")

    static let all: [any AnySetting] = [device, seconds, speed, seed, rest, stress, recovery] + BrokerSession.settings
}
