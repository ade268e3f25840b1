import CCurl
import Foundation
import Synchronization

/// One transfer through libcurl, on a thread of its own.
struct Transfer: Sendable {
    enum Kind: Sendable {
        case get(resumeFrom: Int64?)
        case post([UInt8], method: String)
        case mail(MailEnvelope)
        /// Asks a mail server what it offers, and sends nothing.
        case mailProbe(MailServer)
    }

    struct Outcome: Sendable {
        let status: Int
    }

    let url: String
    let headers: [HTTPHeader]
    let kind: Kind
    let timeout: Duration?
    let configuration: HTTPClientConfiguration
    /// Reads along what a mail server says.
    var dialogue: MailDialogue?

    /// Runs it to its end, or until the task is cancelled.
    func run(with sink: some TransferSink, handles: HandlePool) async -> Result<Outcome, TransferError> {
        let mail: [UInt8] = if case .mail(let envelope) = kind { envelope.bytes } else { [] }
        let context = TransferContext(sink: sink, upload: mail, dialogue: dialogue)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // A thread of its own: a queue's threads are few, and transfers that hang would keep others waiting for one.
                Thread.detachNewThread { continuation.resume(returning: perform(context, handles)) }
            }
        } onCancel: {
            context.cancel()
        }
    }

    private func perform(_ context: TransferContext, _ handles: HandlePool) -> Result<Outcome, TransferError> {
        do throws(TransferError) {
            let handle = try handles.take()
            configure(handle)
            let lists = try setLists(on: handle)
            let code = withExtendedLifetime((context, lists)) {
                context.attach(to: handle)
                return sending(handle) { unsafe curl_easy_perform(handle.pointer) }
            }
            // A handle whose transfer failed goes, with its connection: nobody knows what its server still waits for.
            guard code == CURLE_OK else { throw failure(code, context, handle) }
            defer { handles.giveBack(handle) }
            return .success(Outcome(status: handle.get(CURLINFO_RESPONSE_CODE)))
        } catch {
            return .failure(error)
        }
    }

    private func configure(_ handle: CurlHandle) {
        handle.set(CURLOPT_URL, url)
        handle.set(CURLOPT_NOSIGNAL, 1)
        handle.set(CURLOPT_USERAGENT, configuration.userAgent)
        handle.set(CURLOPT_CONNECTTIMEOUT_MS, configuration.connectTimeout.milliseconds)
        if let timeout {
            handle.set(CURLOPT_TIMEOUT_MS, max(1, timeout.milliseconds))
        } else {
            handle.set(CURLOPT_LOW_SPEED_LIMIT, 1)
            handle.set(CURLOPT_LOW_SPEED_TIME, 60)
        }
        // What this machine answers itself is no proxy's business.
        handle.set(CURLOPT_NOPROXY, Self.directHosts)
        if let file = configuration.certificateAuthorities { handle.set(CURLOPT_CAINFO, file) }
        switch kind {
        case .get(let resumeFrom): configureGet(handle, resumeFrom)
        case .post(_, let method): configurePost(handle, method)
        case .mail(let envelope): envelope.configure(handle)
        case .mailProbe(let server):
            server.configure(handle)
            handle.set(CURLOPT_CUSTOMREQUEST, "NOOP")
        }
    }

    /// The hosts of the environment that are asked directly, and this machine.
    private static let directHosts: String = {
        let environment = ProcessInfo.processInfo.environment
        let given = environment["no_proxy"] ?? environment["NO_PROXY"] ?? ""
        return given == "*" ? given : [given, "localhost", "127.0.0.1", "::1"].filter { !$0.isEmpty }.joined(separator: ",")
    }()

    private func configureGet(_ handle: CurlHandle, _ resumeFrom: Int64?) {
        handle.set(CURLOPT_PROTOCOLS_STR, "http,https")
        handle.set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https")
        handle.set(CURLOPT_FOLLOWLOCATION, configuration.maximumRedirects > 0 ? 1 : 0)
        handle.set(CURLOPT_MAXREDIRS, configuration.maximumRedirects)
        // A Range field by hand: libcurl's own resuming fails where the server answers with the whole file.
        handle.set(CURLOPT_HTTPGET, 1)
        if let resumeFrom { handle.set(CURLOPT_RANGE, "\(resumeFrom)-") }
    }

    private func configurePost(_ handle: CurlHandle, _ method: String) {
        handle.set(CURLOPT_PROTOCOLS_STR, "http,https")
        handle.set(CURLOPT_POST, 1)
        if method != "POST" { handle.set(CURLOPT_CUSTOMREQUEST, method) }
    }

    /// Keeps the request's body in place while `body` runs: libcurl does not copy it.
    private func sending(_ handle: CurlHandle, _ body: () -> CURLcode) -> CURLcode {
        guard case .post(let bytes, _) = kind else { return body() }
        handle.set(CURLOPT_POSTFIELDSIZE_LARGE, large: Int64(bytes.count))
        return unsafe bytes.withUnsafeBytes { buffer in
            let address = unsafe UnsafeMutableRawPointer(mutating: buffer.baseAddress)
            if unsafe address == nil {
                handle.set(CURLOPT_POSTFIELDS, "")
            } else {
                _ = unsafe vigil_curl_set_pointer(handle.pointer, CURLOPT_POSTFIELDS, address)
            }
            return body()
        }
    }

    private func setLists(on handle: CurlHandle) throws(TransferError) -> CurlLists {
        // An empty Expect keeps libcurl from waiting a second for "100 Continue" before larger bodies.
        var lines = ["Expect:"]
        for header in headers {
            guard let line = header.line else { throw TransferError(.other, "a header field holds a line's end") }
            lines.append(line)
        }
        let lists = CurlLists()
        if case .mailProbe = kind { return lists }
        if case .mail(let envelope) = kind {
            lists.set(envelope.recipients.map { "<\($0)>" }, CURLOPT_MAIL_RCPT, on: handle)
        } else {
            lists.set(lines, CURLOPT_HTTPHEADER, on: handle)
        }
        return lists
    }

    private func failure(_ code: CURLcode, _ context: TransferContext, _ handle: CurlHandle) -> TransferError {
        if let failure = context.sink.failure { return failure }
        let host = HTTPClient.host(of: url)
        let words = unsafe String(cString: curl_easy_strerror(code))
        switch code {
        case CURLE_ABORTED_BY_CALLBACK: return TransferError(.cancelled, "the transfer from \(host) was cancelled")
        case CURLE_OPERATION_TIMEDOUT: return TransferError(.timedOut, "\(host) did not answer in time")
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT, CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_PARTIAL_FILE:
            return TransferError(.unreachable, "\(host): \(words)")
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CACERT_BADFILE, CURLE_USE_SSL_FAILED:
            return TransferError(.insecure, "\(host): \(words)")
        case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL: return TransferError(.invalidURL, "\(host): \(words)")
        case CURLE_LOGIN_DENIED: return TransferError(.unauthorized, "\(host) refused the login")
        default: return TransferError(.other, "\(host): \(context.dialogue?.lastAnswer.map { "\(words): \($0)" } ?? words)")
        }
    }
}

extension Duration {
    /// Whole milliseconds, rounded down.
    var milliseconds: Int { Int(components.seconds) * 1000 + Int(components.attoseconds / 1_000_000_000_000_000) }
}

/// The context of libcurl's callbacks: the sink, the text to send, and whether the task was cancelled.
@safe final class TransferContext: Sendable {
    let sink: any TransferSink
    private let isCancelled = Atomic(false)
    private let upload: Mutex<ArraySlice<UInt8>>
    let dialogue: MailDialogue?

    init(sink: any TransferSink, upload: [UInt8] = [], dialogue: MailDialogue? = nil) {
        self.sink = sink
        self.dialogue = dialogue
        self.upload = Mutex(upload[...])
    }

    func cancel() { isCancelled.store(true, ordering: .relaxed) }

    /// Installs the callbacks. The handle must not outlive the context while it transfers.
    func attach(to handle: CurlHandle) {
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        for option in [CURLOPT_WRITEDATA, CURLOPT_HEADERDATA, CURLOPT_XFERINFODATA, CURLOPT_READDATA] {
            _ = unsafe vigil_curl_set_pointer(handle.pointer, option, context)
        }
        handle.set(CURLOPT_NOPROGRESS, 0)
        _ = unsafe vigil_curl_set_data(handle.pointer, CURLOPT_WRITEFUNCTION, Self.onBody)
        _ = unsafe vigil_curl_set_data(handle.pointer, CURLOPT_HEADERFUNCTION, Self.onHeader)
        _ = unsafe vigil_curl_set_data(handle.pointer, CURLOPT_READFUNCTION, Self.onRead)
        _ = unsafe vigil_curl_set_progress(handle.pointer, Self.onProgress)
        guard dialogue != nil else { return }
        _ = unsafe vigil_curl_set_pointer(handle.pointer, CURLOPT_DEBUGDATA, context)
        _ = unsafe vigil_curl_set_dialogue(handle.pointer, Self.onDialogue)
        handle.set(CURLOPT_VERBOSE, 1)
    }

    private static func of(_ pointer: UnsafeMutableRawPointer?) -> TransferContext? {
        unsafe pointer.map { unsafe Unmanaged<TransferContext>.fromOpaque($0).takeUnretainedValue() }
    }

    private static let onBody: vigil_curl_data = { bytes, size, count, pointer in
        guard let context = unsafe TransferContext.of(pointer) else { return 0 }
        let buffer = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
        return unsafe context.sink.body(buffer) ? size * count : 0
    }

    private static let onHeader: vigil_curl_data = { bytes, size, count, pointer in
        guard let context = unsafe TransferContext.of(pointer) else { return 0 }
        let text = unsafe String(decoding: UnsafeRawBufferPointer(start: bytes, count: size * count), as: UTF8.self)
        context.sink.header(String(text.prefix { !$0.isNewline }))
        return size * count
    }

    private static let onDialogue: vigil_curl_dialogue = { _, type, bytes, size, pointer in
        guard let dialogue = unsafe TransferContext.of(pointer)?.dialogue, type == CURLINFO_HEADER_IN || type == CURLINFO_HEADER_OUT else {
            return 0
        }
        let text = unsafe String(decoding: UnsafeRawBufferPointer(start: bytes, count: size), as: UTF8.self)
        for line in text.split(whereSeparator: \.isNewline) {
            if type == CURLINFO_HEADER_OUT { dialogue.sent(String(line)) } else { dialogue.received(String(line)) }
        }
        return 0
    }

    private static let onRead: vigil_curl_data = { bytes, size, count, pointer in
        guard let context = unsafe TransferContext.of(pointer), let bytes = unsafe bytes else { return 0 }
        return context.upload.withLock { rest in
            let piece = rest.prefix(size * count)
            unsafe UnsafeMutableRawPointer(bytes).copyMemory(from: Array(piece), byteCount: piece.count)
            rest = rest.dropFirst(piece.count)
            return piece.count
        }
    }

    private static let onProgress: vigil_curl_progress = { pointer, total, now, _, _ in
        guard let context = unsafe TransferContext.of(pointer) else { return 1 }
        context.sink.progress(received: Int64(now), total: Int64(total))
        return context.isCancelled.load(ordering: .relaxed) ? 1 : 0
    }
}

/// One libcurl easy handle with its kept connections. Used by one transfer at a time.
///
/// `@unchecked Sendable`: the pool hands a handle to one transfer, which uses it on one thread and gives it back.
@safe final class CurlHandle: @unchecked Sendable {
    // Initialised once in the process, before the first handle: libcurl's global state is not safe to set up twice at once.
    private static let isReady = curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK
    let pointer: UnsafeMutableRawPointer

    init() throws(TransferError) {
        guard Self.isReady, let pointer = unsafe curl_easy_init() else { throw TransferError(.other, "libcurl could not be started") }
        unsafe self.pointer = pointer
    }

    deinit {
        // libcurl takes leave of a mail server, and waits up to two minutes for the answer of one that hangs.
        let socket = unsafe vigil_curl_get_socket(pointer)
        if socket >= 0 { shutdown(socket, Int32(SHUT_RDWR)) }
        unsafe curl_easy_cleanup(pointer)
    }

    func set(_ option: CURLoption, _ value: Int) { _ = unsafe vigil_curl_set_long(pointer, option, value) }
    func set(_ option: CURLoption, large value: Int64) { _ = unsafe vigil_curl_set_large(pointer, option, value) }
    /// libcurl copies the text.
    func set(_ option: CURLoption, _ value: String) { _ = unsafe vigil_curl_set_string(pointer, option, value) }
    func get(_ info: CURLINFO) -> Int { unsafe vigil_curl_get_long(pointer, info) }
}

/// Idle handles, kept so that connections to the same server are reused.
final class HandlePool: Sendable {
    private let idle = Mutex<[CurlHandle]>([])

    func take() throws(TransferError) -> CurlHandle {
        if let known = idle.withLock({ $0.popLast() }) { return known }
        return try CurlHandle()
    }

    func giveBack(_ handle: CurlHandle) {
        unsafe curl_easy_reset(handle.pointer)
        idle.withLock { if $0.count < 4 { $0.append(handle) } }
    }
}

/// The string lists that a transfer hands to libcurl, which does not copy them: freed with this object, after the transfer.
@safe final class CurlLists {
    private var heads: [UnsafeMutablePointer<curl_slist>] = unsafe []

    /// Builds a list and sets it.
    func set(_ lines: [String], _ option: CURLoption, on handle: CurlHandle) {
        var head: UnsafeMutablePointer<curl_slist>?
        for line in lines {
            if let longer = unsafe curl_slist_append(head, line) { unsafe head = longer }
        }
        guard let head = unsafe head else { return }
        _ = unsafe vigil_curl_set_list(handle.pointer, option, head)
        unsafe heads.append(head)
    }

    deinit {
        while let head = unsafe heads.popLast() { unsafe curl_slist_free_all(head) }
    }
}
