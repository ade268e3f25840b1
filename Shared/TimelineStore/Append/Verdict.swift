/// What an observation is to a store that may know its identity already.
enum Verdict: Hashable {
    /// Its identity is new.
    case new
    /// It changes nothing.
    case duplicate
    /// It replaces what is known.
    case correction

    /// The rule of "the later received wins".
    /// - Parameters:
    ///   - same: whether the contents are equal.
    ///   - received: when the incoming one was received, microseconds.
    ///   - known: when the known one was.
    ///   - replaced: whether the incoming one, received at that moment, was replaced before: then it is a repetition.
    static func of(same: Bool, received: Int64, known: Int64, replaced: () throws(StoreError) -> Bool) throws(StoreError) -> Verdict {
        if same || received < known { return .duplicate }
        return try replaced() ? .duplicate : .correction
    }
}
