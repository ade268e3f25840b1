/// A server's whole answer, whatever its status.
package struct HTTPResponse: Hashable, Sendable {
    package let status: Int
    /// Of the last answer, after redirects.
    package let headers: [HTTPHeader]
    package let body: [UInt8]

    /// 200–299.
    package var isSuccess: Bool { (200..<300).contains(status) }
}

/// What a download to a file came to.
package struct HTTPDownload: Hashable, Sendable {
    /// 200, or 206 where it was resumed.
    package let status: Int
    package let headers: [HTTPHeader]
    /// Bytes in the file now.
    package let bytes: Int64
    /// Whether the server continued where the file ended; otherwise it was written anew.
    package let wasResumed: Bool
}

/// How far a download is.
package struct HTTPProgress: Hashable, Sendable {
    /// Bytes in the file, those of an earlier attempt included.
    package let received: Int64
    /// Bytes there will be; nil where the server did not say.
    package let total: Int64?
}
