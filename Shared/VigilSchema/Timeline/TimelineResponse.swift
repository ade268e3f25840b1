/// The answer to a `TimelineRequest`: a result, or an error.
public struct TimelineResponse<Result: Codable & Sendable>: Sendable, Codable {
    /// Why there is no result.
    public struct Failure: Error, Hashable, Sendable, Codable, CustomStringConvertible {
        /// `bad-request`, `unavailable` or `failed`.
        public let code: String
        /// In words.
        public let reason: String

        /// Makes a failure.
        public init(code: String, reason: String) {
            self.code = code
            self.reason = reason
        }

        /// "reason (code)".
        public var description: String { "\(reason) (\(code))" }
    }

    /// The answer.
    public let result: Result?
    /// Why there is none.
    public let error: Failure?

    /// Makes an answer.
    public init(result: Result?, error: Failure? = nil) {
        self.result = result
        self.error = error
    }

    /// The result, or the failure thrown.
    public func get() throws -> Result {
        if let result { return result }
        throw error ?? Failure(code: "failed", reason: "the timeline's answer is empty")
    }
}
