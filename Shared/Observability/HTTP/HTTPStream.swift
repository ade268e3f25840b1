import CMicrohttpd
import Synchronization

/// A response that is written bit by bit, at the pace at which the client takes it. One task writes.
///
/// `@unchecked`: the connection's pointer never changes and is only used to suspend, on libmicrohttpd's thread, and to
/// resume what is suspended; all else is behind a lock.
@safe package final class HTTPStream: @unchecked Sendable {
    /// The client has gone, or the server stops.
    package struct Closed: Error {}

    private struct State {
        var pending: ArraySlice<UInt8> = []
        var writer: CheckedContinuation<Bool, Never>?
        var isSuspended = false
        var isFinished = false
        var isClosed = false
    }

    private let connection: OpaquePointer
    private let state = Mutex(State())

    @unsafe init(_ connection: OpaquePointer) { unsafe self.connection = connection }

    /// Sends bytes; returns once the connection has taken them all.
    package func write(_ bytes: [UInt8]) async throws {
        guard !bytes.isEmpty else { return }
        let isTaken = await withTaskCancellationHandler {
            await withCheckedContinuation { offer(bytes, $0) }
        } onCancel: {
            finish()
        }
        guard isTaken else { throw Closed() }
    }

    /// Sends text.
    package func write(_ text: String) async throws { try await write([UInt8](text.utf8)) }

    /// Sends a server-sent event; each line of the data becomes a `data:` line.
    package func send(event: String? = nil, data: String, id: String? = nil) async throws {
        var text = id.map { "id: \($0)\n" } ?? ""
        text += event.map { "event: \($0)\n" } ?? ""
        for line in data.split(separator: "\n", omittingEmptySubsequences: false) { text += "data: \(line)\n" }
        try await write(text + "\n")
    }

    /// Ends the response. Again changes nothing.
    func finish() { end { $0.isFinished = true } }

    /// Nobody reads any more.
    func close() { end { $0.isClosed = true } }

    /// A response whose content libmicrohttpd pulls from here.
    func makeResponse() -> OpaquePointer? {
        let context = unsafe Unmanaged.passRetained(self).toOpaque()
        return unsafe MHD_create_response_from_callback(UInt64.max, 16_384, readStream, context, releaseStream)
    }

    /// Fills libmicrohttpd's buffer; where there is nothing, the connection sleeps until there is. On its thread.
    fileprivate func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let (count, writer) = state.withLock { state -> (Int, CheckedContinuation<Bool, Never>?) in
            guard !state.pending.isEmpty else { return (emptied(&state), nil) }
            let part = state.pending.prefix(buffer.count)
            unsafe buffer.copyBytes(from: part)
            state.pending = state.pending.dropFirst(part.count)
            guard state.pending.isEmpty else { return (part.count, nil) }
            defer { state.writer = nil }
            return (part.count, state.writer)
        }
        writer?.resume(returning: true)
        return count
    }

    private func emptied(_ state: inout State) -> Int {
        // MHD_CONTENT_READER_END_OF_STREAM is a cast that Swift cannot import.
        if state.isFinished { return -1 }
        state.isSuspended = true
        unsafe MHD_suspend_connection(connection)
        return 0
    }

    private func offer(_ bytes: [UInt8], _ continuation: CheckedContinuation<Bool, Never>) {
        let (isOpen, wasSuspended) = state.withLock { state in
            guard !state.isClosed, !state.isFinished else { return (false, false) }
            state.pending = bytes[...]
            state.writer = continuation
            defer { state.isSuspended = false }
            return (true, state.isSuspended)
        }
        if !isOpen { continuation.resume(returning: false) }
        if wasSuspended { unsafe MHD_resume_connection(connection) }
    }

    private func end(_ change: (inout State) -> Void) {
        let (writer, wasSuspended) = state.withLock { state in
            change(&state)
            state.pending = []
            defer {
                state.writer = nil
                state.isSuspended = false
            }
            return (state.writer, state.isSuspended && !state.isClosed)
        }
        writer?.resume(returning: false)
        if wasSuspended { unsafe MHD_resume_connection(connection) }
    }
}

private let readStream: MHD_ContentReaderCallback = { context, _, buffer, count in
    guard let context = unsafe context else { return -1 }
    let stream = unsafe Unmanaged<HTTPStream>.fromOpaque(context).takeUnretainedValue()
    return unsafe stream.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: count))
}

private let releaseStream: MHD_ContentReaderFreeCallback = { context in
    if let context = unsafe context { unsafe Unmanaged<HTTPStream>.fromOpaque(context).release() }
}
