import Foundation
import HTTPClient
import ServiceKit
import VigilSchema

/// Reads one type of resource from a FHIR R4 server: what changed since the newest change that is known, page by page.
///
/// The server is trusted in nothing: only links to itself are followed, a page that comes again ends the round, and the next round begins where the
/// last finished one ended, not where a page happened to be. Source: FHIR R4, 3.1.1 search, 3.1.1.4.2 `_lastUpdated`.
struct FHIRPull {
    private static let mostPages = 100_000
    private static let headers = [HTTPHeader("Accept", "application/fhir+json")]

    let pull: PollPull
    let base: String
    let type: String
    let patient: String?

    func run(_ record: inout PollRecord) async throws {
        do {
            try await round(&record)
        } catch let error as PollFailure where error.isOfAddress && record.cursors[type]?.next != nil {
            // The page of an interrupted round is not kept for ever.
            record.cursors[type]?.next = nil
            try await round(&record)
        }
    }

    private func round(_ record: inout PollRecord) async throws {
        var cursor = record.cursors[type] ?? .init()
        var seen: Set<String> = []
        var address = cursor.next ?? first(since: cursor.start(pull.source.overlap, now: Timestamp.now.seconds))
        for _ in 0..<Self.mostPages {
            let response = try await pull.client.get(address, Self.headers)
            let page = try Page(response.body, type: type)
            guard seen.insert(page.digest).inserted || page.resources.isEmpty else {
                record.cursors[type]?.next = nil
                throw PollFailure("the server sends the same page again")
            }
            if !page.resources.isEmpty {
                let outcome = try await pull.delivery.deliver(page: response.body, of: type, profile: "fhir")
                record.stored += outcome.stored
                record.refused += outcome.refused
            }
            cursor.meet(page.times, now: Timestamp.now.seconds)
            cursor.next = try page.next.map { try own($0, from: address) }
            guard let next = cursor.next else { break }
            address = next
            record.cursors[type] = cursor
            try await pull.records.save(record)
        }
        guard cursor.next == nil else { throw PollFailure("the server has more than \(Self.mostPages) pages") }
        cursor.finish(now: Timestamp.now.seconds)
        record.cursors[type] = cursor
        try await pull.records.save(record)
    }

    private func first(since: Double?) -> String {
        var parameters = patient.map { [("patient", $0)] } ?? []
        if let since { parameters.append(("_lastUpdated", "ge\(Timestamp(seconds: since).iso8601())")) }
        parameters += [("_sort", "_lastUpdated"), ("_count", "\(pull.source.page)")]
        return "\(base)/\(type)\(PollQuery.text(parameters))"
    }

    /// A link to another page of the same server; any other would take the token with it.
    private func own(_ link: String, from address: String) throws(PollFailure) -> String {
        let target = URL(string: address).flatMap { URL(string: link, relativeTo: $0) }?.absoluteURL.absoluteString
        guard let target, target.utf8.count <= 8192, let own = PollAddress(base), PollAddress(target) == own else {
            throw PollFailure("the server's next page is at another server")
        }
        return target
    }

    /// A searchset.
    private struct Page {
        let resources: [[String: Any]]
        /// The resources' `meta.lastUpdated`, in Unix seconds.
        let times: [Double]
        let next: String?
        /// Of the resources' names and versions.
        let digest: String

        init(_ body: [UInt8], type: String) throws(PollFailure) {
            guard let bundle = (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any],
                bundle["resourceType"] as? String == "Bundle"
            else { throw PollFailure("the server's answer is no Bundle") }
            let entries = bundle["entry"] as? [[String: Any]] ?? []
            resources = entries.compactMap { $0["resource"] as? [String: Any] }.filter { $0["resourceType"] as? String == type }
            let updates = resources.compactMap { ($0["meta"] as? [String: Any])?["lastUpdated"] as? String }
            times = updates.compactMap { DateTimeText($0)?.time.seconds }
            let links = bundle["link"] as? [[String: Any]] ?? []
            next = links.first { $0["relation"] as? String == "next" }?["url"] as? String
            let names = resources.map { resource in
                "\(resource["id"] as? String ?? "") \((resource["meta"] as? [String: Any])?["versionId"] as? String ?? "")"
            }
            digest = ContentDigest.of(names.joined(separator: "\n"))
        }
    }
}

extension PollFailure {
    /// The server does not know that address any more.
    fileprivate var isOfAddress: Bool { status.map { [400, 404, 410].contains($0) } ?? false }
}
