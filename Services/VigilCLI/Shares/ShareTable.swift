import Foundation
import Shares
import VigilSchema

/// The shares of a service and its replicas, as lines for people.
struct ShareTable: CustomStringConvertible {
    private struct Listing: Encodable {
        struct Line: Encodable {
            let share: Int
            let owner: String?
            let since: Timestamp?
            let epoch: Int64
            let expires: Double?
            let wanted: String?
        }

        struct Replica: Encodable {
            let name: String
            let since: Timestamp?
            let shares: Int
            let state: String
        }

        let shares: [Line]
        let replicas: [Replica]
    }

    private let view: LeaseView

    init(_ view: LeaseView) { self.view = view }

    /// The same as JSON; times in Unix seconds, `expires` in seconds from now.
    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let shares = view.rows.map { row in
            Listing.Line(
                share: row.share, owner: row.isHeld ? row.owner : nil, since: row.isHeld ? row.since : nil, epoch: row.epoch,
                expires: row.isHeld ? row.remaining / .seconds(1) : nil, wanted: row.wanted)
        }
        let replicas = view.members.map { Listing.Replica(name: $0.name, since: $0.since, shares: count($0.name), state: state($0)) }
        return String(decoding: try encoder.encode(Listing(shares: shares, replicas: replicas)), as: UTF8.self)
    }

    /// A line for each share, and one for each replica.
    var description: String {
        let shares = view.rows.map { row -> [String] in
            let left = String((row.remaining / .seconds(1) * 10).rounded() / 10)
            let name = Share.name(of: row.share)
            guard row.isHeld, let owner = row.owner else { return [name, "nobody", "", "\(row.epoch)", "", remark(row)] }
            return [name, owner, date(row.since), "\(row.epoch)", "\(left) s", remark(row)]
        }
        let replicas = view.members.map { [$0.name, date($0.since), "\(count($0.name))", state($0)] }
        return lines([["SHARE", "OWNER", "SINCE", "EPOCH", "LEASE", "REMARKS"]] + shares) + "\n\n"
            + lines([["REPLICA", "SINCE", "SHARES", "STATE"]] + replicas)
    }

    private func count(_ name: String) -> Int { view.rows.count { $0.isHeld && $0.owner == name } }

    private func state(_ member: LeaseView.Member) -> String {
        guard member.isAlive else { return "gone" }
        guard member.drains else { return "working" }
        return view.working.contains(member) ? "working, though drained: it is the last" : "drained"
    }

    private func remark(_ row: LeaseView.Row) -> String {
        var remarks: [String] = []
        if let owner = row.owner, !row.isHeld { remarks.append("\(owner) let its lease end") }
        if let wanted = row.wanted { remarks.append(wanted == row.owner ? "moved here" : "moves to \(wanted)") }
        return remarks.joined(separator: "; ")
    }

    private func date(_ time: Timestamp?) -> String {
        time.map { Date(timeIntervalSince1970: $0.seconds).formatted(.iso8601) } ?? ""
    }

    private func lines(_ rows: [[String]]) -> String {
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = row.indices.map { row[$0].padding(toLength: widths[$0] + 2, withPad: " ", startingAt: 0) }
            return String(cells.joined().reversed().drop { $0 == " " }.reversed())
        }.joined(separator: "\n")
    }
}
