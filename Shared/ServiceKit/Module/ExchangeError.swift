/// Why a parameter was not read or set.
package enum ExchangeError: Error, Sendable, Equatable, CustomStringConvertible {
    case unknown(name: String, suggestion: String?)
    case readOnly(name: String)
    case malformed(name: String, accepts: String)
    /// The request itself cannot be read.
    case request(String)

    package var description: String {
        switch self {
        case .unknown(let name, let suggestion):
            "there is no parameter \(name)" + (suggestion.map { "; did you mean \($0)?" } ?? "")
        case .readOnly(let name): "\(name) can only be read"
        case .malformed(let name, let accepts): "\(name) accepts \(accepts)"
        case .request(let problem): "the request is malformed: \(problem)"
        }
    }
}
