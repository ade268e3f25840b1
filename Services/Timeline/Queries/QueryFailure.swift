import TimelineStore
import VigilSchema

/// The reason why a query has no result, as reported to the asker.
package struct QueryFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// `bad-request`, `refused`, `unavailable` or `failed`.
    package let code: String
    package let reason: String

    init(badRequest reason: String) {
        code = "bad-request"
        self.reason = reason
    }

    /// A request that the asker's role may not make.
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

    /// The answer as JSON.
    package var answer: [UInt8] {
        let answer = TimelineResponse<Bool>(result: nil, error: .init(code: code, reason: reason))
        return (try? QueryHandler.encode(answer)) ?? Array(#"{"error":{"code":"failed","reason":"the answer cannot be written"}}"#.utf8)
    }

    package var description: String { "\(reason) (\(code))" }
}

extension TimelineQuery.Range {
    /// The range: without `from` the day before `to`, without `to` until now.
    func times(_ now: Timestamp) throws(QueryFailure) -> (from: Timestamp, to: Timestamp) {
        let to = to ?? now
        let from = from ?? to.advanced(bySeconds: -86400)
        guard from <= to else { throw QueryFailure(badRequest: "the range ends before it starts") }
        return (from, to)
    }
}

extension TimelineQuery.Series {
    func range(_ now: Timestamp) throws(QueryFailure) -> SeriesRange {
        let (from, to) = try range.times(now)
        return SeriesRange(participant: participant, metric: metric, from: from, to: to, source: source)
    }
}

extension TimelineRequest {
    /// The number of list elements in earlier answers.
    var offset: Int {
        get throws(QueryFailure) {
            guard let after else { return 0 }
            guard let offset = Int(after), offset >= 0 else { throw QueryFailure(badRequest: "after is not the next of an answer") }
            return offset
        }
    }
}

extension Int? {
    /// The number of wanted elements; a thousand by default.
    func limit(_ most: Int) throws(QueryFailure) -> Int {
        let limit = self ?? 1000
        guard (1...most).contains(limit) else { throw QueryFailure(badRequest: "limit lies outside 1 to \(most)") }
        return limit
    }
}
