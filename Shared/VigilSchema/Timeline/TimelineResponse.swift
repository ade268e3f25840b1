import Foundation

/// The answer to a `TimelineRequest`: a result, or an error.
public struct TimelineResponse<Result: Codable & Sendable>: Sendable, Codable {
    /// The reason why there is no result.
    public struct Failure: Error, Hashable, Sendable, Codable, CustomStringConvertible {
        /// `bad-request`, `refused`, `unavailable` or `failed`.
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
    /// The reason why there is none.
    public let error: Failure?
    /// The `after` with which the rest of a list is asked for; nil where the answer holds all of it.
    public let next: String?

    /// Makes an answer.
    public init(result: Result?, error: Failure? = nil, next: String? = nil) {
        self.result = result
        self.error = error
        self.next = next
    }

    /// Reads an answer's payload.
    public init(decoding payload: [UInt8]) throws { self = try JSONDecoder().decode(Self.self, from: Data(payload)) }

    /// The result, or the failure thrown.
    public func get() throws -> Result {
        if let result { return result }
        throw error ?? Failure(code: "failed", reason: "the timeline's answer is empty")
    }
}

/// The number of entries or lines that an order stored.
public struct StoredCount: Hashable, Sendable, Codable {
    /// The number.
    public var stored: Int

    /// Makes a count.
    public init(stored: Int) { self.stored = stored }
}

/// The data that erasing a participant removed.
public struct ErasureReport: Hashable, Sendable, Codable {
    /// Rows by table, those that held none left out.
    public var rows: [String: Int] = [:]
    /// The pseudonym that stands for the participant in the audit trail from now on; nil where nothing stands there.
    public var pseudonym: String?
    /// Tables of a database that is too large to be written anew, in which what was removed is only freed; nil for none.
    public var freed: [String]?
    /// The ids of the imports that brought some of it, by which the importer's ledger knows their files; nil for none.
    public var imports: [String]?

    /// A report of nothing.
    public init() {}
}

/// The effect of undoing an import.
public struct UndoReport: Hashable, Sendable, Codable {
    /// The number of observations and entries that are gone.
    public var removed = 0
    /// The number of observations that have the content again which they had before the import corrected it.
    public var restored = 0

    /// A report of nothing.
    public init() {}
}
