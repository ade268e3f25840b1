import TimelineStore
import VigilSchema

/// Why a query has no result, as the asker is told.
package struct QueryFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// `bad-request`, `unavailable` or `failed`.
    package let code: String
    package let reason: String

    init(badRequest reason: String) {
        code = "bad-request"
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
