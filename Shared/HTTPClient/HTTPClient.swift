/// Fetches and posts over HTTP and HTTPS, and downloads to files.
///
/// Threading: any; each transfer occupies a thread of its own while it runs, so bound how many run at once. Connections are kept
/// and reused. A cancelled task's transfer ends within a second. Only `http://` and `https://` are ever followed.
package final class HTTPClient: Sendable {
    private let configuration: HTTPClientConfiguration
    private let handles = HandlePool()

    package init(configuration: HTTPClientConfiguration = HTTPClientConfiguration()) {
        self.configuration = configuration
    }

    /// Fetches into memory. Any status is an answer, not an error.
    /// - Parameters:
    ///   - timeout: for the whole transfer.
    ///   - limit: the largest body accepted, in bytes; more is `.tooLarge`.
    package func get(
        _ url: String, headers: [HTTPHeader] = [], timeout: Duration = .seconds(30), limit: Int = 16 << 20
    ) async throws(TransferError) -> HTTPClientResponse {
        try await exchange("GET", url, headers: headers, body: nil, timeout: timeout, limit: limit)
    }

    /// Posts a body. Any status is an answer, not an error; redirects are not followed.
    package func post(
        _ url: String, body: [UInt8], contentType: String, headers: [HTTPHeader] = [], timeout: Duration = .seconds(30),
        limit: Int = 1 << 20
    ) async throws(TransferError) -> HTTPClientResponse {
        try await send("POST", url, body: body, contentType: contentType, headers: headers, timeout: timeout, limit: limit)
    }

    /// Sends a request by a method such as PUT. Any status is an answer; redirects are followed only without a body.
    package func send(
        _ method: String, _ url: String, body: [UInt8]?, contentType: String, headers: [HTTPHeader], timeout: Duration, limit: Int
    ) async throws(TransferError) -> HTTPClientResponse {
        let type = body == nil ? [] : [HTTPHeader("Content-Type", contentType)]
        return try await exchange(method, url, headers: type + headers, body: body, timeout: timeout, limit: limit)
    }

    /// Streams into a file in constant memory.
    ///
    /// An answer other than 200 and 206 throws `.status` and leaves the file as it was. After a failure the file holds what came so far, for
    /// resuming.
    /// - Parameters:
    ///   - resume: asks the server to continue where the file ends; where it cannot, the file is written anew.
    ///   - timeout: for the whole transfer; nil has no limit, but less than 1 byte/s for a minute ends it.
    ///   - limit: the largest file accepted, in bytes.
    ///   - progress: called on the transfer's thread, at most about four times a second; must not block.
    package func download(
        _ url: String, to path: String, headers: [HTTPHeader] = [], resume: Bool = false, timeout: Duration? = nil,
        limit: Int64 = 64 << 30, progress: (@Sendable (HTTPProgress) -> Void)? = nil
    ) async throws(TransferError) -> HTTPDownload {
        try Self.check(url)
        let sink = FileSink(path: path, resume: resume, limit: limit, progress: progress)
        let transfer = Transfer(
            url: url, headers: headers, kind: .get(resumeFrom: sink.resumeFrom), timeout: timeout, configuration: configuration)
        let result = await transfer.run(with: sink, handles: handles)
        let bytes = try sink.close()
        let status = try result.get().status
        guard status == 200 || status == 206 else {
            // The whole file was there already: the server has nothing beyond its end.
            if status == 416, sink.isComplete { return sink.download(status: 200, bytes: bytes) }
            throw TransferError(.status(status), "\(Self.host(of: url)) answered with status \(status)")
        }
        return sink.download(status: status, bytes: bytes)
    }

    private func exchange(
        _ method: String, _ url: String, headers: [HTTPHeader], body: [UInt8]?, timeout: Duration, limit: Int
    ) async throws(TransferError) -> HTTPClientResponse {
        try Self.check(url)
        let sink = MemorySink(limit: limit)
        let kind: Transfer.Kind = if let body { .post(body, method: method) } else { .get(resumeFrom: nil) }
        let transfer = Transfer(url: url, headers: headers, kind: kind, timeout: timeout, configuration: configuration)
        let status = try await transfer.run(with: sink, handles: handles).get().status
        return sink.response(status: status)
    }

    /// Refuses what is no web address, in words.
    package static func check(_ url: String) throws(TransferError) {
        let lowercased = url.lowercased()
        guard lowercased.hasPrefix("http://") || lowercased.hasPrefix("https://") else {
            throw TransferError(.invalidURL, "an address must begin with http:// or https://")
        }
        guard !host(of: url).isEmpty, !url.unicodeScalars.contains(where: { $0.value <= 32 }) else {
            throw TransferError(.invalidURL, "the address has no host or holds a blank")
        }
    }

    /// The host and port of an address, for messages: without user, password and path.
    package static func host(of url: String) -> String {
        guard let start = url.firstRange(of: "://")?.upperBound else { return "" }
        let authority = url[start...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        return String(authority.split(separator: "@", omittingEmptySubsequences: false).last ?? "")
    }
}

/// The way a client connects.
package struct HTTPClientConfiguration: Hashable, Sendable {
    /// The name that it gives itself.
    package var userAgent: String
    /// The longest wait for a connection.
    package var connectTimeout: Duration
    /// Redirects followed before giving up; to http and https addresses only.
    package var maximumRedirects: Int
    /// A file of trusted certificates (PEM) instead of the system's.
    package var certificateAuthorities: String?

    package init(
        userAgent: String = "vigil", connectTimeout: Duration = .seconds(10), maximumRedirects: Int = 5,
        certificateAuthorities: String? = nil
    ) {
        self.userAgent = userAgent
        self.connectTimeout = connectTimeout
        self.maximumRedirects = maximumRedirects
        self.certificateAuthorities = certificateAuthorities
    }
}

/// One header field of a request or an answer.
package struct HTTPHeader: Hashable, Sendable {
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// `name: value`, or nil where either holds a line's end, which would smuggle in another field.
    var line: String? {
        let isClean = !(name + value).unicodeScalars.contains { $0 == "\r" || $0 == "\n" || $0 == "\0" }
        guard isClean, !name.isEmpty else { return nil }
        return value.isEmpty ? "\(name);" : "\(name): \(value)"
    }
}

extension [HTTPHeader] {
    /// The first field of that name, upper and lower case alike.
    package subscript(name: String) -> String? {
        first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

/// A server's whole answer, whatever its status.
package struct HTTPClientResponse: Hashable, Sendable {
    package let status: Int
    /// Of the last answer, after redirects.
    package let headers: [HTTPHeader]
    package let body: [UInt8]

    /// 200–299.
    package var isSuccess: Bool { (200..<300).contains(status) }
}

/// The outcome of a download to a file.
package struct HTTPDownload: Hashable, Sendable {
    /// 200, or 206 where it was resumed.
    package let status: Int
    package let headers: [HTTPHeader]
    /// Bytes in the file now.
    package let bytes: Int64
    /// A Boolean value that indicates whether the server continued where the file ended; otherwise it was written anew.
    package let wasResumed: Bool
}

/// The progress of a download.
package struct HTTPProgress: Hashable, Sendable {
    /// Bytes in the file, those of an earlier attempt included.
    package let received: Int64
    /// Bytes there will be; nil where the server did not say.
    package let total: Int64?
}

/// The reason why a transfer failed: HTTP or SMTP, in words without the payload's content.
package struct TransferError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of failure a caller may want to tell apart.
    package enum Code: Hashable, Sendable {
        /// The address is none, or its scheme is not allowed.
        case invalidURL
        /// The name was not found, or nobody listens there, or the connection broke.
        case unreachable
        /// It took longer than allowed.
        case timedOut
        /// The certificate or the TLS handshake was refused.
        case insecure
        /// The answer is larger than the limit.
        case tooLarge
        /// The server answered with this status, where the operation cannot use it.
        case status(Int)
        /// The local file could not be written.
        case file
        /// The task was cancelled.
        case cancelled
        /// Login was refused.
        case unauthorized
        /// Something else; the message says it.
        case other
    }

    package let code: Code
    /// Host and what went wrong; never user names, passwords or content.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// A Boolean value that indicates whether the same transfer may succeed later.
    package var isTransient: Bool {
        switch code {
        case .unreachable, .timedOut, .other: true
        case .status(let status): status == 408 || status == 425 || status == 429 || status >= 500
        case .invalidURL, .insecure, .tooLarge, .file, .cancelled, .unauthorized: false
        }
    }

    package var description: String { message }
}
