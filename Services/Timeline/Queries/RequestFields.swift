import TimelineStore
import VigilSchema

/// Reads a request's fields, saying which is missing or makes no sense.
struct RequestFields {
    let request: TimelineRequest
    let now: Timestamp

    func participant() throws(QueryFailure) -> String {
        guard let participant = request.participant, Name.isValid(participant) else {
            throw QueryFailure(badRequest: "participant is missing or is not 1 to 64 of A-Z a-z 0-9 _ . -")
        }
        return participant
    }

    func id() throws(QueryFailure) -> String {
        guard let id = request.id, Name.isValid(id) else { throw QueryFailure(badRequest: "id is missing or no name") }
        return id
    }

    /// A metric over a time; without `from` the day before `to`, without `to` until now.
    func range() throws(QueryFailure) -> SeriesRange {
        guard let metric = request.metric, !metric.isEmpty else { throw QueryFailure(badRequest: "metric is missing") }
        let (from, to) = try times()
        return SeriesRange(participant: try participant(), metric: metric, from: from, to: to, source: request.source)
    }

    func times() throws(QueryFailure) -> (from: Timestamp, to: Timestamp) {
        let to = request.to ?? now
        let from = request.from ?? to.advanced(bySeconds: -86400)
        guard from <= to else { throw QueryFailure(badRequest: "the range ends before it starts") }
        return (from, to)
    }

    /// The number of elements of a list were told before.
    func offset() throws(QueryFailure) -> Int {
        guard let after = request.after else { return 0 }
        guard let offset = Int(after), offset >= 0 else { throw QueryFailure(badRequest: "after is not the next of an answer") }
        return offset
    }

    /// How many of something are wanted; a thousand without a word.
    func limit(_ most: Int) throws(QueryFailure) -> Int {
        let limit = request.limit ?? 1000
        guard (1...most).contains(limit) else { throw QueryFailure(badRequest: "limit lies outside 1 to \(most)") }
        return limit
    }

    /// One of the cases of an enumeration.
    func choice<Choice: RawRepresentable & CaseIterable>(
        _ text: String?, _ name: String, default value: Choice
    ) throws(QueryFailure) -> Choice where Choice.RawValue == String {
        guard let text else { return value }
        guard let choice = Choice(rawValue: text) else {
            throw QueryFailure(badRequest: "\(name) is none of \(Choice.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return choice
    }
}

/// Why a query has no result, as the asker is told.
package struct QueryFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// `bad-request`, `refused`, `unavailable` or `failed`.
    package let code: String
    package let reason: String

    init(badRequest reason: String) {
        code = "bad-request"
        self.reason = reason
    }

    /// A request that the asker's role does not have.
    init(refused reason: String) {
        code = "refused"
        self.reason = reason
    }

    init(unavailable reason: String) {
        code = "unavailable"
        self.reason = reason
    }

    init(_ error: StoreError) {
        code = error.code == .badRequest ? "bad-request" : error.isRetryable ? "unavailable" : "failed"
        reason = error.description
    }

    package var description: String { "\(reason) (\(code))" }
}
