import Foundation
import HTTPClient
import ServiceKit
import VigilSchema

/// Reads one list of a Nightscout site: what is newer than the newest record that is known, and a day before it, as uploaders that were offline
/// bring older records late.
///
/// A site answers the newest first, so a round goes down in time; it may be interrupted and goes on where it was. Source: cgm-remote-monitor,
/// API v1: `count`, `find[…][$gte]`, `find[…][$lte]`.
struct NightscoutPull {
    /// A list with the member that says when.
    struct List: Sendable {
        let name: String
        let time: String
        let profile: String
    }

    static let lists = [
        List(name: "entries", time: "date", profile: "nightscout-entries"),
        List(name: "treatments", time: "created_at", profile: "nightscout-treatments"),
    ]
    private static let mostPages = 100_000

    let pull: PollPull
    let base: String
    let list: List

    func run(_ record: inout PollRecord) async throws {
        var cursor = record.cursors[list.name] ?? .init()
        let start = cursor.start(pull.source.overlap, now: Timestamp.now.seconds) ?? 0
        var former: Set<String> = []
        for _ in 0..<Self.mostPages {
            let end = cursor.next.flatMap(Double.init)
            let response = try await pull.client.get(address(from: start, to: end))
            let page = try Page(response.body, list)
            guard page.isWithin(end) else { throw PollFailure("the site does not keep to the time that it is asked for") }
            guard !page.keys.isSubset(of: former), let oldest = page.times.min(), let newest = page.times.max() else { break }
            if oldest == newest, page.times.count >= pull.source.page {
                throw PollFailure("more than a page of records have one time; a larger \"page\" is needed")
            }
            let outcome = try await pull.delivery.deliver(page: response.body, of: list.name, profile: list.profile)
            record.stored += outcome.stored
            record.refused += outcome.refused
            cursor.meet(page.times, now: Timestamp.now.seconds)
            (former, cursor.next) = (page.keys, "\(oldest)")
            record.cursors[list.name] = cursor
            try await pull.records.save(record)
        }
        cursor.finish(now: Timestamp.now.seconds)
        record.cursors[list.name] = cursor
        try await pull.records.save(record)
    }

    private func address(from start: Double, to end: Double?) -> String {
        var parameters = [("count", "\(pull.source.page)"), ("find[\(list.time)][$gte]", text(start))]
        if let end { parameters.append(("find[\(list.time)][$lte]", text(end))) }
        return "\(base)/api/v1/\(list.name).json\(PollQuery.text(parameters))"
    }

    private func text(_ seconds: Double) -> String {
        list.time == "date" ? "\(Int64((seconds * 1000).rounded()))" : Timestamp(seconds: seconds).iso8601()
    }

    /// A part of a list.
    private struct Page {
        /// In Unix seconds.
        let times: [Double]
        let keys: Set<String>

        init(_ body: [UInt8], _ list: List) throws(PollFailure) {
            guard let records = (try? JSONSerialization.jsonObject(with: Data(body))) as? [[String: Any]] else {
                throw PollFailure("the site's answer is no list")
            }
            times = records.compactMap { record in
                if let milliseconds = record[list.time] as? Double { return milliseconds / 1000 }
                return (record[list.time] as? String).flatMap { DateTimeText($0)?.time.seconds }
            }
            keys = Set(
                records.map { record in
                    record["_id"] as? String ?? record["identifier"] as? String ?? "\(record[list.time] ?? "") \(record["type"] ?? "")"
                })
        }

        func isWithin(_ end: Double?) -> Bool { end.map { end in times.allSatisfy { $0 <= end + 0.001 } } ?? true }
    }
}
