import Foundation
import SensorIngest

/// The registry's entries as lines for people.
struct DeviceTable: CustomStringConvertible {
    private let entries: [DeviceRegistry.Entry]

    /// - Parameter json: as vigil-ingest's parameter `devices` gives it.
    init(json: String) throws {
        entries = try JSONDecoder().decode([DeviceRegistry.Entry].self, from: Data(json.utf8))
    }

    /// A line for each device, the latest first, below a heading.
    var description: String {
        if entries.isEmpty { return "no device has sent anything yet" }
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
        if let offset = entry.clockOffset { remarks.append("clock \(Int(abs(offset))) s \(offset > 0 ? "behind" : "ahead")") }
        if let reason = entry.lastReject, let time = entry.lastRejectTime { remarks.append("refused \(date(time)): \(reason)") }
        return [
            entry.participant, entry.device, date(entry.lastSeen), String(entry.messages), String(entry.accepted), String(entry.refused),
            remarks.joined(separator: "; "),
        ]
    }

    private func date(_ seconds: Double) -> String {
        Date(timeIntervalSince1970: seconds).formatted(.iso8601)
    }
}
