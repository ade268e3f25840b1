import Foundation
import MessageBus
import Observability
import SensorIngest
import ServiceKit
import Settings
import VigilSchema

/// `vigil devices`: who sends, and what is decided about them.
enum DevicesCommand {
    static let json = Setting("json", .boolean, default: false, help: "Print the list as JSON.")
    static let quarantine = Setting.optional("quarantine", .text, help: "Refuse this device's messages: PARTICIPANT/DEVICE.")
    static let release = Setting.optional("release", .text, help: "Accept this device's messages again: PARTICIPANT/DEVICE.")
    static let bind = Setting.optional(
        "bind", .text, help: "Accept a device's messages for one participant only: DEVICE=PARTICIPANT; DEVICE= undoes it.")
    static let answerWithin = Setting(
        "answer-within", .duration(in: .milliseconds(100) ... .seconds(600)), default: .seconds(5),
        help: "How long vigil-ingest may take to answer.")

    static let command = Command(
        name: "devices", summary: "lists devices with their last refusal and clock, and quarantines or binds them",
        details: """
            Asks vigil-ingest over the bus for the thousand most recent devices. Decisions survive restarts.
            """,
        settings: [json, quarantine, release, bind, answerWithin] + BrokerSession.settings,
        operands: Operands("PARTICIPANT", count: 0...64, help: "The participants whose devices are listed; all by default.")
    ) { invocation in
        let session = try BrokerSession(invocation, command: "devices")
        let timeout = try invocation[answerWithin]
        let commands = [
            ("quarantine", try invocation[quarantine]), ("release", try invocation[release]), ("bindings", try invocation[bind]),
        ]
        let list = try await ModuleClient(session: session, service: "vigil-ingest", timeout: timeout).run { client in
            for case (let name, let value?) in commands { try await client.set(name, value) }
            return try await client.get("devices")
        }
        let table = try DeviceTable(json: list, participants: Set(invocation.operands))
        StandardOutput.line(try invocation[json] ? table.json() : table.description)
    }
}

/// The registry's entries as lines for people.
struct DeviceTable: CustomStringConvertible {
    private let entries: [DeviceRegistry.Entry]
    private let participants: Set<String>

    /// - Parameters:
    ///   - json: as vigil-ingest's parameter `devices` gives it.
    ///   - participants: whose devices to list; everybody's where it is empty.
    init(json: String, participants: Set<String> = []) throws {
        let all = try JSONDecoder().decode([DeviceRegistry.Entry].self, from: Data(json.utf8))
        self.participants = participants
        entries = participants.isEmpty ? all : all.filter { participants.contains($0.participant) }
    }

    /// The entries as JSON.
    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(entries), as: UTF8.self)
    }

    /// A line for each device, the latest first, below a heading.
    var description: String {
        guard !entries.isEmpty else {
            let whose = participants.isEmpty ? "" : " of \(participants.sorted().joined(separator: ", "))"
            return "no device\(whose) has sent anything yet"
        }
        let heading = ["PARTICIPANT", "DEVICE", "LAST SEEN", "MESSAGES", "READINGS", "REFUSED", "REMARKS"]
        let rows = [heading] + entries.map(row)
        let widths = heading.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            row.indices.dropLast().map { row[$0].padding(toLength: widths[$0] + 2, withPad: " ", startingAt: 0) }.joined()
                + (row.last ?? "")
        }.joined(separator: "\n")
    }

    private func row(_ entry: DeviceRegistry.Entry) -> [String] {
        var remarks: [String] = []
        if entry.quarantined { remarks.append("in quarantine") }
        if let owner = entry.boundTo { remarks.append("bound to \(owner)") }
        if let offset = entry.clockOffset { remarks.append("clock \(Int(min(abs(offset), 1e15))) s \(offset > 0 ? "behind" : "ahead")") }
        if let battery = entry.battery { remarks.append("battery \(Int(battery.rounded())) %") }
        if let signal = entry.signal { remarks.append("signal \(signal)") }
        if let firmware = entry.firmware { remarks.append("firmware \(firmware)") }
        if let contact = entry.lastContact { remarks.append("last contact \(date(contact))") }
        if let reason = entry.lastReject, let time = entry.lastRejectTime { remarks.append("refused \(date(time)): \(reason)") }
        return [
            // Decided about before it ever sent: no sighting.
            entry.participant, entry.device, entry.messages == 0 ? "never" : date(entry.lastSeen), String(entry.messages),
            String(entry.accepted), String(entry.refused),
            remarks.joined(separator: "; ").printable,
        ]
    }

    private func date(_ seconds: Double) -> String {
        Date(timeIntervalSince1970: seconds).formatted(.iso8601)
    }
}
