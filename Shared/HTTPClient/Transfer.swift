import CCurl
import Dispatch
import Synchronization

/// One transfer through libcurl, on a thread of Dispatch's.
struct Transfer: Sendable {
    enum Kind: Sendable {
        case get(resumeFrom: Int64?)
        case post([UInt8])
        case mail(MailEnvelope)
    }

    struct Outcome: Sendable {
        let status: Int
    }

    let url: String
    let headers: [HTTPHeader]
    let kind: Kind
    let timeout: Duration?
    let configuration: HTTPClientConfiguration

    private static let queue = DispatchQueue(label: "vigil.transfers", attributes: .concurrent)

    /// Runs it to its end, or until the task is cancelled.
    func run(with sink: some TransferSink, handles: HandlePool) async -> Result<Outcome, TransferError> {
        let mail: [UInt8] = if case .mail(let envelope) = kind { envelope.bytes } else { [] }
        let context = TransferContext(sink: sink, upload: mail)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Self.queue.async { continuation.resume(returning: perform(context, handles)) }
            }
        } onCancel: {
            context.cancel()
        }
    }

    private func perform(_ context: TransferContext, _ handles: HandlePool) -> Result<Outcome, TransferError> {
        do throws(TransferError) {
            let handle = try handles.take()
            defer { handles.giveBack(handle) }
            configure(handle)
            let lists = try setLists(on: handle)
            let code = withExtendedLifetime((context, lists)) {
                context.attach(to: handle)
                return sending(handle) { unsafe curl_easy_perform(handle.pointer) }
            }
            guard code == CURLE_OK else { throw failure(code, context, handle) }
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
        if let file = configuration.certificateAuthorities { handle.set(CURLOPT_CAINFO, file) }
        switch kind {
        case .get(let resumeFrom): configureGet(handle, resumeFrom)
        case .post: configurePost(handle)
        case .mail(let envelope): envelope.configure(handle)
        }
    }

    private func configureGet(_ handle: CurlHandle, _ resumeFrom: Int64?) {
        handle.set(CURLOPT_PROTOCOLS_STR, "http,https")
        handle.set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https")
        handle.set(CURLOPT_FOLLOWLOCATION, configuration.maximumRedirects > 0 ? 1 : 0)
        handle.set(CURLOPT_MAXREDIRS, configuration.maximumRedirects)
        // A Range field by hand: libcurl's own resuming fails where the server answers with the whole file.
        handle.set(CURLOPT_HTTPGET, 1)
        if let resumeFrom { handle.set(CURLOPT_RANGE, "\(resumeFrom)-") }
    }

    private func configurePost(_ handle: CurlHandle) {
        handle.set(CURLOPT_PROTOCOLS_STR, "http,https")
        handle.set(CURLOPT_POST, 1)
    }

    /// Keeps the request's body in place while `body` runs: libcurl does not copy it.
    private func sending(_ handle: CurlHandle, _ body: () -> CURLcode) -> CURLcode {
        guard case .post(let bytes) = kind else { return body() }
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
        default: return TransferError(.other, "\(host): \(words)")
        }
    }
}

extension Duration {
    /// Whole milliseconds, rounded down.
    var milliseconds: Int { Int(components.seconds) * 1000 + Int(components.attoseconds / 1_000_000_000_000_000) }
}
