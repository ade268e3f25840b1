import MessageBus
import SensorIngest
import ServiceKit
import VigilSchema

/// `vigil devices`: who sends, and what is decided about them.
enum DevicesCommand {
    static let json = Setting("json", .boolean, default: false, help: "Print the list as JSON.")
    static let quarantine = Setting.optional("quarantine", .text, help: "Refuse this device's messages: PARTICIPANT/DEVICE.")
    static let release = Setting.optional("release", .text, help: "Take this device's messages again: PARTICIPANT/DEVICE.")
    static let bind = Setting.optional(
        "bind", .text, help: "Take a device's messages for one participant only: DEVICE=PARTICIPANT; DEVICE= lets it go.")
    static let answerWithin = Setting(
        "answer-within", .duration(in: .milliseconds(100) ... .seconds(600)), default: .seconds(5),
        help: "How long vigil-ingest may take to answer.")

    static let command = Command(
        name: "devices", summary: "lists the devices that send, with their last refusal and their clock, and decides about them",
        details: """
            Asks vigil-ingest over the bus for the thousand devices heard last. What is decided is kept over restarts.
            """,
        settings: [json, quarantine, release, bind, answerWithin] + BrokerSession.settings
    ) { invocation in
        let session = try BrokerSession(invocation, command: "devices")
        let patience = try invocation[answerWithin]
        let commands = [
            ("quarantine", try invocation[quarantine]), ("release", try invocation[release]), ("bindings", try invocation[bind]),
        ]
        let list = try await ModuleClient(session: session, service: "vigil-ingest", patience: patience).run { client in
            for case (let name, let value?) in commands { try await client.set(name, value) }
            return try await client.get("devices")
        }
        StandardOutput.line(try invocation[json] ? list : DeviceTable(json: list).description)
    }
}
