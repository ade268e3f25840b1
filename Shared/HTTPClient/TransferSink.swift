import Glibc
import Synchronization

/// Takes what a transfer receives. Called on the transfer's thread only, one call at a time.
protocol TransferSink: AnyObject, Sendable {
    /// A header line of the answer, its line's end removed; a status line starts a new answer.
    func header(_ line: String)
    /// A piece of the body; false ends the transfer.
    func body(_ bytes: UnsafeRawBufferPointer) -> Bool
    /// Reports the progress in bytes of this transfer; called about once a second, also when nothing arrives.
    func progress(received: Int64, total: Int64)
    /// The reason why `body` returned false.
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

/// Writes the answer's body to a file, behind what an earlier attempt left where the server continues there.
final class FileSink: TransferSink {
    private struct State {
        var headers = HeaderCollector()
        var descriptor: Int32 = -1
        var written: Int64 = 0
        var failure: TransferError?
        var lastReport: ContinuousClock.Instant?
    }

    let path: String
    /// The offset where the transfer is to continue; nil starts over.
    let resumeFrom: Int64?
    private let limit: Int64
    private let report: (@Sendable (HTTPProgress) -> Void)?
    private let state = Mutex(State())

    init(path: String, resume: Bool, limit: Int64, progress: (@Sendable (HTTPProgress) -> Void)?) {
        self.path = path
        self.limit = limit
        report = progress
        let size = resume ? Self.size(of: path) : 0
        resumeFrom = size > 0 ? size : nil
    }

    func header(_ line: String) { state.withLock { $0.headers.take(line) } }

    func body(_ bytes: UnsafeRawBufferPointer) -> Bool {
        state.withLock { state in
            // A refusal's page is no content; the status is reported at the end.
            guard state.headers.status == 200 || state.headers.status == 206 else { return true }
            if state.descriptor < 0, !open(&state) { return false }
            guard state.written + Int64(bytes.count) <= limit else {
                return fail(&state, TransferError(.tooLarge, "the answer is larger than \(limit) bytes"))
            }
            return unsafe write(bytes, &state)
        }
    }

    func progress(received: Int64, total: Int64) {
        guard let report else { return }
        let news = state.withLock { state -> HTTPProgress? in
            let now = ContinuousClock.now
            if let last = state.lastReport, now - last < .milliseconds(250), received != total { return nil }
            state.lastReport = now
            let base = state.headers.status == 206 ? resumeFrom ?? 0 : 0
            return HTTPProgress(received: base + received, total: total > 0 ? base + total : nil)
        }
        if let news { report(news) }
    }

    var failure: TransferError? { state.withLock { $0.failure } }

    /// A Boolean value that indicates whether the server said that the file's end, where we asked to continue, is the end of its content.
    var isComplete: Bool {
        state.withLock { state in
            guard let range = state.headers.headers["Content-Range"], let total = range.split(separator: "/").last else { return false }
            return Int64(total) == resumeFrom
        }
    }

    /// Flushes and closes; returns the file's size.
    func close() throws(TransferError) -> Int64 {
        let isClean = state.withLock { state -> Bool in
            if state.descriptor < 0, state.headers.status == 200 { _ = open(&state) }
            guard state.descriptor >= 0 else { return true }
            let result = Glibc.close(state.descriptor)
            state.descriptor = -1
            return result == 0
        }
        guard isClean else { throw TransferError(.file, "\(path) could not be written: \(Self.reason(errno))") }
        return Self.size(of: path)
    }

    func download(status: Int, bytes: Int64) -> HTTPDownload {
        state.withLock {
            HTTPDownload(status: status, headers: $0.headers.headers, bytes: bytes, wasResumed: $0.headers.status == 206)
        }
    }

    private func open(_ state: inout State) -> Bool {
        let continues = state.headers.status == 206 && resumeFrom != nil
        let flags = O_WRONLY | O_CREAT | O_CLOEXEC | (continues ? O_APPEND : O_TRUNC)
        state.descriptor = unsafe Glibc.open(path, flags, 0o644)
        guard state.descriptor >= 0 else {
            return fail(&state, TransferError(.file, "\(path) could not be opened: \(Self.reason(errno))"))
        }
        state.written = continues ? resumeFrom ?? 0 : 0
        return true
    }

    private func write(_ bytes: UnsafeRawBufferPointer, _ state: inout State) -> Bool {
        var rest = unsafe bytes[...]
        while unsafe !rest.isEmpty {
            let count = unsafe Glibc.write(state.descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                return fail(&state, TransferError(.file, "\(path) could not be written: \(Self.reason(errno))"))
            }
            unsafe rest = unsafe rest.dropFirst(count)
            state.written += Int64(count)
        }
        return true
    }

    private func fail(_ state: inout State, _ error: TransferError) -> Bool {
        state.failure = error
        return false
    }

    private static func size(of path: String) -> Int64 {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? Int64(status.st_size) : 0
    }

    private static func reason(_ code: Int32) -> String {
        unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
    }
}

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

    func response(status: Int) -> HTTPClientResponse {
        state.withLock { HTTPClientResponse(status: status, headers: $0.headers.headers, body: $0.body) }
    }
}
