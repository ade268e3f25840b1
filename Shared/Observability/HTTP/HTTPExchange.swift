import CMicrohttpd
import Synchronization

/// One request and its response, between libmicrohttpd's thread and the task that answers.
///
/// `@unchecked`: the connection's pointer never changes and is used by libmicrohttpd's thread, or to resume the connection
/// while it is suspended; all else is behind a lock.
@safe final class HTTPExchange: @unchecked Sendable {
    private struct State {
        var body: [UInt8] = []
        var limit = 0
        var refusal: BodyRefusal?
        var isSuspended = false
        var response: HTTPResponse?
        var stream: HTTPStream?
    }

    /// The reason why the rest of a body is passed over, which is said at its end.
    enum BodyRefusal: Sendable {
        case tooLarge
        /// Too much was being sent at once, by everybody together.
        case noRoom

        var response: HTTPResponse {
            switch self {
            case .tooLarge: .text("body too large\n", status: 413)
            case .noRoom: .text("too much is being sent at once; try again\n", status: 503)
            }
        }
    }

    private let connection: OpaquePointer
    /// The connection's, for as long as it is open.
    let id: ConnectionSlots.ID
    private let head: HTTPRequest
    private let state = Mutex(State())

    @unsafe init(_ connection: OpaquePointer, url: String, method: String) {
        unsafe self.connection = connection
        id = UInt(bitPattern: connection)
        let arguments = unsafe Self.values(connection, .GET_ARGUMENT_KIND, lowercased: false)
        head = HTTPRequest(
            method: method, path: url, query: arguments.all, arguments: arguments.list,
            headers: unsafe Self.values(connection, .HEADER_KIND, lowercased: true).all, peer: unsafe Self.peer(of: connection))
    }

    var method: String { head.method }
    var path: String { head.path }

    /// Hands the complete request out, with its body, which is the taker's from then on.
    func takeRequest() -> HTTPRequest {
        let body = state.withLock { state in
            defer { state.body = [] }
            return state.body
        }
        return HTTPRequest(
            method: head.method, path: head.path, query: head.query, arguments: head.arguments, headers: head.headers, body: body,
            peer: head.peer)
    }

    /// The reason why the body was not taken.
    var refusal: BodyRefusal? { state.withLock { $0.refusal } }
    var hasResponse: Bool { state.withLock { $0.response != nil } }
    /// The stream to write to, when the response is one.
    var stream: HTTPStream? { state.withLock { $0.stream } }

    /// Takes a part of the body; false where the rest is passed over, or is to be, as it is longer than the limit.
    func append(_ bytes: UnsafeRawBufferPointer, limit: () -> Int) -> Bool {
        state.withLock { state in
            guard state.refusal == nil else { return false }
            if state.body.isEmpty { state.limit = limit() }
            guard state.body.count + bytes.count <= state.limit else {
                (state.refusal, state.body) = (.tooLarge, [])
                return false
            }
            unsafe state.body.append(contentsOf: bytes)
            return true
        }
    }

    /// Drops what came of the body, and passes the rest over.
    func dropBody() { state.withLock { ($0.refusal, $0.body) = (.noRoom, []) } }

    /// Takes the connection out of libmicrohttpd's polling until there is a response; false, and nothing done, where there is one
    /// already. On its thread only.
    func suspend() -> Bool {
        state.withLock { state in
            guard state.response == nil else { return false }
            state.isSuspended = true
            // Under the lock: a response that comes now resumes what is suspended, never before.
            unsafe MHD_suspend_connection(connection)
            return true
        }
    }

    /// Sets the response; the first one counts. From any thread.
    func respond(_ response: HTTPResponse) {
        let wasSuspended = state.withLock { state in
            guard state.response == nil else { return false }
            state.response = response
            if case .stream = response.body { state.stream = unsafe HTTPStream(connection) }
            defer { state.isSuspended = false }
            return state.isSuspended
        }
        if wasSuspended { unsafe MHD_resume_connection(connection) }
    }

    /// Answers 503 in the stream's place: there are too many. On libmicrohttpd's thread only.
    func refuseStream() {
        let stream = state.withLock { state in
            state.response = .text("too many streams\n", status: 503)
            defer { state.stream = nil }
            return state.stream
        }
        stream?.close()
    }

    /// Gives the response to libmicrohttpd. On its thread only.
    func queueResponse() -> MHD_Result {
        let (response, stream) = state.withLock { ($0.response, $0.stream) }
        guard let response, let made = unsafe Self.made(response, stream) else { return .NO }
        for (name, value) in response.headers { unsafe MHD_add_response_header(made, name, value) }
        let result = unsafe MHD_queue_response(connection, UInt32(clamping: response.status), made)
        unsafe MHD_destroy_response(made)
        return result
    }

    /// The connection is done with this request: nobody reads the stream any more.
    func close() { stream?.close() }

    private static func made(_ response: HTTPResponse, _ stream: HTTPStream?) -> OpaquePointer? {
        switch response.body {
        case .bytes(var bytes):
            let count = bytes.count
            return unsafe bytes.withUnsafeMutableBytes {
                unsafe MHD_create_response_from_buffer(count, $0.baseAddress, .RESPMEM_MUST_COPY)
            }
        case .stream:
            return unsafe stream.flatMap { unsafe $0.makeResponse() }
        }
    }

    static func peer(of connection: OpaquePointer) -> String {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { text in
            guard let start = text.baseAddress else { return "" }
            unsafe vigil_mhd_peer(connection, start, 64)
            return unsafe String(cString: start)
        }
    }

    private static func values(_ connection: OpaquePointer, _ kind: MHD_ValueKind, lowercased: Bool) -> NamedValues {
        var values = NamedValues(lowercased: lowercased)
        unsafe withUnsafeMutablePointer(to: &values) { pointer in
            _ = unsafe MHD_get_connection_values(connection, kind, collectValue, pointer)
        }
        return values
    }
}

/// Collects what libmicrohttpd enumerates.
private struct NamedValues {
    let lowercased: Bool
    private(set) var list: [(name: String, value: String)] = []

    /// Of a repeated name the last.
    var all: [String: String] { Dictionary(list.map { ($0.name, $0.value) }) { $1 } }

    mutating func add(_ name: String, _ value: String) { list.append((lowercased ? name.lowercased() : name, value)) }
}

private let collectValue: MHD_KeyValueIterator = { context, _, name, value in
    guard let context = unsafe context, let name = unsafe name else { return .NO }
    let text = unsafe value.map { unsafe String(cString: $0) } ?? ""
    unsafe context.assumingMemoryBound(to: NamedValues.self).pointee.add(String(cString: name), text)
    return .YES
}
