import Synchronization

/// Keeps the answer in memory, up to a limit.
final class MemorySink: TransferSink {
    private struct State {
        var headers = HeaderCollector()
        var body: [UInt8] = []
        var failure: TransferError?
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = limit }

    func header(_ line: String) { state.withLock { $0.headers.take(line) } }

    func body(_ bytes: UnsafeRawBufferPointer) -> Bool {
        state.withLock { state in
            guard state.body.count + bytes.count <= limit else {
                state.failure = TransferError(.tooLarge, "the answer is larger than \(limit) bytes")
                return false
            }
            unsafe state.body.append(contentsOf: bytes)
            return true
        }
    }

    func progress(received: Int64, total: Int64) {}

    var failure: TransferError? { state.withLock { $0.failure } }

    func response(status: Int) -> HTTPResponse {
        state.withLock { HTTPResponse(status: status, headers: $0.headers.headers, body: $0.body) }
    }
}
