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
    ) async throws(TransferError) -> HTTPResponse {
        try await exchange(url, headers: headers, body: nil, timeout: timeout, limit: limit)
    }

    /// Posts a body. Any status is an answer, not an error; redirects are not followed.
    package func post(
        _ url: String, body: [UInt8], contentType: String, headers: [HTTPHeader] = [], timeout: Duration = .seconds(30),
        limit: Int = 1 << 20
    ) async throws(TransferError) -> HTTPResponse {
        try await exchange(
            url, headers: [HTTPHeader("Content-Type", contentType)] + headers, body: body, timeout: timeout, limit: limit)
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
        _ url: String, headers: [HTTPHeader], body: [UInt8]?, timeout: Duration, limit: Int
    ) async throws(TransferError) -> HTTPResponse {
        try Self.check(url)
        let sink = MemorySink(limit: limit)
        let kind: Transfer.Kind = if let body { .post(body) } else { .get(resumeFrom: nil) }
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
    static func host(of url: String) -> String {
        guard let start = url.firstRange(of: "://")?.upperBound else { return "" }
        let authority = url[start...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        return String(authority.split(separator: "@", omittingEmptySubsequences: false).last ?? "")
    }
}
