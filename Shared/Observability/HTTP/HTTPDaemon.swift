import CMicrohttpd
import Dispatch
import Foundation
import Synchronization

/// libmicrohttpd's daemon: turns its callbacks into `HTTPExchange`s.
///
/// Threading: libmicrohttpd calls back on one thread of its own. `@unchecked`: the pointer is set once in `init`, and
/// libmicrohttpd locks for itself.
@safe final class HTTPDaemon: @unchecked Sendable {
    private struct State {
        var open: [ConnectionSlots.ID: HTTPExchange] = [:]
        var isRefusing = false
        var waiting: [CheckedContinuation<Void, Never>] = []
        var slots: ConnectionSlots
        var bodies: BodyBudget
        var sockets: [ConnectionSlots.ID: Int32] = [:]
    }

    private var daemon: OpaquePointer?
    private let bodyLimit: @Sendable (HTTPExchange) -> Int
    private let onRequest: @Sendable (HTTPExchange) -> Void
    private let state: Mutex<State>

    /// Listens, and calls `onRequest` on the daemon's thread with each complete request, which must then be responded to.
    /// - Parameter bodyLimit: the bytes that a request's body may have; asked once its first bytes come.
    init(
        host: String, port: Int, limits: HTTPServer.Limits, tls: HTTPServer.TLS? = nil,
        bodyLimit: @escaping @Sendable (HTTPExchange) -> Int,
        onRequest: @escaping @Sendable (HTTPExchange) -> Void
    ) throws(HTTPServerError) {
        self.bodyLimit = bodyLimit
        self.onRequest = onRequest
        state = Mutex(
            State(slots: ConnectionSlots(limit: limits.connections, streams: limits.streams), bodies: BodyBudget(limit: limits.bodies)))
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        // libmicrohttpd accepts nothing at its own limit: a few more, so that a new connection can end one that only waits.
        let (started, number) = unsafe host.withCString { host in
            var options = unsafe vigil_mhd_options(
                host: host, port: UInt16(clamping: port), connections: UInt32(clamping: limits.connections + 16),
                timeout: UInt32(clamping: limits.idleSeconds), key: nil, certificate: nil, access: onAccess, completed: onCompleted,
                notify: onConnection, context: context)
            return unsafe Self.started(&options, tls)
        }
        guard let started = unsafe started else { throw HTTPServerError(host: host, port: port, number: number) }
        unsafe daemon = started
    }

    private static func started(_ options: inout vigil_mhd_options, _ tls: HTTPServer.TLS?) -> (OpaquePointer?, Int32) {
        func start(_ options: inout vigil_mhd_options) -> (OpaquePointer?, Int32) {
            let daemon = unsafe vigil_mhd_start(&options)
            let number = errno
            return unsafe (daemon, number)
        }
        guard let tls else { return unsafe start(&options) }
        return unsafe tls.key.withCString { key in
            unsafe tls.certificate.withCString { certificate in
                unsafe options.key = key
                unsafe options.certificate = certificate
                return unsafe start(&options)
            }
        }
    }

    /// The port that it listens on.
    var port: Int { Int(unsafe vigil_mhd_port(daemon)) }

    /// The bytes of bodies that are kept now.
    var bodyBytes: Int { state.withLock { $0.bodies.bytes } }

    /// Answers every request that has no response yet, and every one that still comes, with 503.
    func refuseNew() {
        let open = state.withLock { state in
            state.isRefusing = true
            return Array(state.open.values)
        }
        for exchange in open { exchange.respond(.text("stopping\n", status: 503)) }
    }

    /// Returns once no request is open any more, or after so many seconds. Cancelling does not shorten it: it is what runs then.
    func completed(within seconds: Double) async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if !state.open.isEmpty { state.waiting.append(continuation) }
                return state.open.isEmpty
            }
            if isIdle { return continuation.resume() }
            DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { self.release { _ in true } }
        }
    }

    private func release(where isDue: (State) -> Bool) {
        let due = state.withLock { state in
            guard isDue(state) else { return [CheckedContinuation<Void, Never>]() }
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in due { continuation.resume() }
    }

    /// Closes all connections. Every exchange must have been responded to and every stream be finished.
    func stop() {
        refuseNew()
        unsafe MHD_stop_daemon(daemon)
        unsafe daemon = nil
    }

    /// One call of libmicrohttpd about a request: its start, a part of its body, its end, or the return after a suspension.
    fileprivate func access(
        _ connection: OpaquePointer, _ line: HTTPRequestLine, _ body: UnsafeBufferPointer<CChar>,
        _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    ) -> MHD_Result {
        guard let known = unsafe slot.pointee, unsafe vigil_mhd_is_unset(known) == 0 else {
            let exchange = unsafe HTTPExchange(connection, url: line.url, method: line.method)
            unsafe slot.pointee = register(exchange)
            guard !line.isFramedWell else { return .YES }
            exchange.respond(.contradictoryFraming)
            return queue(exchange)
        }
        let exchange = unsafe Unmanaged<HTTPExchange>.fromOpaque(known).takeUnretainedValue()
        if !body.isEmpty {
            unsafe take(UnsafeRawBufferPointer(body), of: exchange)
            return .YES
        }
        return proceed(exchange)
    }

    private func take(_ part: UnsafeRawBufferPointer, of exchange: HTTPExchange) {
        let isTaken = unsafe exchange.append(part) { bodyLimit(exchange) }
        let leaving = state.withLock { state -> [HTTPExchange] in
            guard isTaken else {
                state.bodies.release(exchange.id)
                return []
            }
            return state.bodies.take(part.count, of: exchange.id).compactMap { state.open[$0] }
        }
        for exchange in leaving { exchange.dropBody() }
    }

    private func proceed(_ exchange: HTTPExchange) -> MHD_Result {
        if exchange.hasResponse { return queue(exchange) }
        if let refusal = exchange.refusal {
            exchange.respond(refusal.response)
            return queue(exchange)
        }
        if state.withLock({ $0.isRefusing }) {
            exchange.respond(.text("stopping\n", status: 503))
            return queue(exchange)
        }
        // Answered in between, by a server that stops: nobody would wake the connection.
        guard exchange.suspend() else { return queue(exchange) }
        state.withLock { state in
            state.slots.answering(exchange.id)
            state.bodies.complete(exchange.id)
        }
        onRequest(exchange)
        return .YES
    }

    private func queue(_ exchange: HTTPExchange) -> MHD_Result {
        let isTaken = state.withLock { state in
            if exchange.stream != nil { return state.slots.streaming(exchange.id) }
            state.slots.waits(exchange.id)
            return true
        }
        if !isTaken { exchange.refuseStream() }
        return exchange.queueResponse()
    }

    /// A connection was accepted or closed. Where there are too many, one that only waits is ended: reading from it then says so.
    fileprivate func connection(_ connection: OpaquePointer, isOpen: Bool) {
        let id = UInt(bitPattern: connection)
        guard isOpen else {
            return state.withLock { state in
                state.slots.closed(id)
                state.sockets[id] = nil
            }
        }
        let socket = unsafe vigil_mhd_socket(connection)
        let address = unsafe HTTPExchange.peer(of: connection)
        let leaving = state.withLock { state -> Int32? in
            state.sockets[id] = socket
            return state.slots.opened(id, from: address).flatMap { state.sockets[$0] }
        }
        // On libmicrohttpd's thread, which alone closes sockets: it is still this connection's.
        if let leaving { shutdown(leaving, Int32(SHUT_RDWR)) }
    }

    private func register(_ exchange: HTTPExchange) -> UnsafeMutableRawPointer {
        state.withLock { $0.open[exchange.id] = exchange }
        return unsafe Unmanaged.passRetained(exchange).toOpaque()
    }

    fileprivate func complete(_ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>) {
        // Unset where libmicrohttpd itself has refused the request.
        guard let known = unsafe slot.pointee, unsafe vigil_mhd_is_unset(known) == 0 else { return }
        let exchange = unsafe Unmanaged<HTTPExchange>.fromOpaque(known).takeRetainedValue()
        unsafe slot.pointee = nil
        state.withLock { state in
            state.open[exchange.id] = nil
            state.bodies.release(exchange.id)
            state.slots.waits(exchange.id)
        }
        exchange.close()
        release { $0.open.isEmpty }
    }
}

/// The request line, and whether the head says without contradiction where the request ends.
private struct HTTPRequestLine {
    let url: String
    let method: String
    let isFramedWell: Bool
}

private let onAccess: MHD_AccessHandlerCallback = { context, connection, url, method, version, upload, size, slot in
    guard let context = unsafe context, let connection = unsafe connection, let url = unsafe url, let method = unsafe method,
        let version = unsafe version, let size = unsafe size, let slot = unsafe slot
    else { return .NO }
    // Later calls about the same request may come after its head's memory was used for its body.
    let isFramedWell = unsafe vigil_mhd_is_unset(slot.pointee) == 0 || vigil_mhd_is_framed_well(connection, version, slot.pointee) != 0
    let line = unsafe HTTPRequestLine(url: String(cString: url), method: String(cString: method), isFramedWell: isFramedWell)
    let daemon = unsafe Unmanaged<HTTPDaemon>.fromOpaque(context).takeUnretainedValue()
    let body = unsafe UnsafeBufferPointer(start: upload, count: upload == nil ? 0 : size.pointee)
    let result = unsafe daemon.access(connection, line, body, slot)
    // The whole part was taken.
    if !body.isEmpty { unsafe size.pointee = 0 }
    return result
}

private let onCompleted: MHD_RequestCompletedCallback = { context, _, slot, _ in
    guard let context = unsafe context, let slot = unsafe slot else { return }
    unsafe Unmanaged<HTTPDaemon>.fromOpaque(context).takeUnretainedValue().complete(slot)
}

private let onConnection: MHD_NotifyConnectionCallback = { context, connection, _, event in
    guard let context = unsafe context, let connection = unsafe connection else { return }
    let daemon = unsafe Unmanaged<HTTPDaemon>.fromOpaque(context).takeUnretainedValue()
    unsafe daemon.connection(connection, isOpen: event.rawValue == 0)  // MHD_CONNECTION_NOTIFY_STARTED
}
