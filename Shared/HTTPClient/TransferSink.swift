/// Takes what a transfer receives. Called on the transfer's thread only, one call at a time.
protocol TransferSink: AnyObject, Sendable {
    /// A header line of the answer, its line's end removed; a status line starts a new answer.
    func header(_ line: String)
    /// A piece of the body; false ends the transfer.
    func body(_ bytes: UnsafeRawBufferPointer) -> Bool
    /// How far it is, in bytes of this transfer; called about once a second also when nothing comes.
    func progress(received: Int64, total: Int64)
    /// Why `body` returned false.
    var failure: TransferError? { get }
}

/// The header fields of the answer that arrived last.
struct HeaderCollector {
    private(set) var status = 0
    private(set) var headers: [HTTPHeader] = []

    mutating func take(_ line: String) {
        if line.hasPrefix("HTTP/") {
            headers = []
            status = line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        } else if let colon = line.firstIndex(of: ":") {
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            headers.append(HTTPHeader(String(line[..<colon]), String(value)))
        }
    }
}
