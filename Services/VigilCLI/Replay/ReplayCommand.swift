import MessageBus
import Observability
import Settings

/// `vigil replay`: recorded data, published as if it were measured now.
enum ReplayCommand {
    static let command = Command(
        name: "replay", summary: "publishes recorded data as if it were measured now",
        details: """
            A FILE is a recording of a waveform (NAME.i16 with NAME.json beside it) or any CSV file that \
            vigil-import reads. Times are shifted so that the recording begins now or, faster than real time, \
            ends now. Several files are replayed together.
            """,
        settings: ReplaySettings.all, operands: Operands("FILE", count: 1...1000, help: "a recording")
    ) { invocation in
        let recording = try Recording(
            invocation.operands, participant: try invocation[ReplaySettings.participant], device: try invocation[ReplaySettings.device])
        let plan = ReplayPlan(
            recording, speed: try invocation[ReplaySettings.speed], keepTimes: try invocation[ReplaySettings.keepTimes],
            seconds: try invocation[ReplaySettings.seconds])
        if recording.refused > 0 { StandardError.line("\(recording.refused) cells were refused; `vigil-import --dry-run` says why") }
        StandardError.line("replaying for \(Int(plan.duration.rounded(.up))) s; Ctrl-C stops it")
        let session = try BrokerSession(invocation, command: "replay")
        let sent = SentCount()
        _ = try await Interruption.stoppable { try await session.publishing { try await plan.run($0, sent) } }
        StandardOutput.line("published \(sent.observations) observations in \(sent.messages) messages")
    }
}

/// The settings of `vigil replay`.
enum ReplaySettings {
    static let participant = Setting.optional(
        "participant", .name, help: "The participant of the readings; by default the file's, or replay for recordings without one.")
    static let device = Setting.optional(
        "device", .name, help: "The device's name; by default the file's source, or the recording's name.")
    static let speed = Setting("speed", .number(in: 0.01...100_000), default: 1, help: "The speed as a multiple of real time.")
    static let keepTimes = Setting(
        "keep-times", .boolean, default: false, help: "Publish the times of the recording instead of moving them to now.")
    static let seconds = Setting.optional(
        "seconds", .integer(in: 1...31_536_000), help: "Only this many seconds from the recording's start.")

    static let all: [any AnySetting] = [participant, device, speed, keepTimes, seconds] + BrokerSession.settings
}
