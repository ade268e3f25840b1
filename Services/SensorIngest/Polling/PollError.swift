/// Why an answer could not be used.
struct PollError: Error, CustomStringConvertible {
    let reason: String
    var description: String { reason }
}
