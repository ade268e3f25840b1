import ServiceKit

/// The settings of `vigil replay`.
enum ReplaySettings {
    static let participant = Setting.optional(
        "participant", .name, help: "Whose the readings are to be; by default the file's own, or replay for recordings without one.")
    static let device = Setting.optional(
        "device", .name, help: "The device's name; by default the file's source, or the recording's name.")
    static let speed = Setting("speed", .number(in: 0.01...100_000), default: 1, help: "How many times real time.")
    static let keepTimes = Setting(
        "keep-times", .boolean, default: false, help: "Publish the times of the recording instead of moving them to now.")
    static let seconds = Setting.optional(
        "seconds", .integer(in: 1...31_536_000), help: "Only so many seconds from the recording's start.")

    static let all: [any AnySetting] = [participant, device, speed, keepTimes, seconds] + BrokerSession.settings
}
