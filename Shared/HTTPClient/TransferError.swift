/// Why a transfer failed: HTTP or SMTP, in words without the payload's content.
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

    /// Whether the same transfer may succeed later.
    package var isTransient: Bool {
        switch code {
        case .unreachable, .timedOut, .other: true
        case .status(let status): status == 408 || status == 425 || status == 429 || status >= 500
        case .invalidURL, .insecure, .tooLarge, .file, .cancelled, .unauthorized: false
        }
    }

    package var description: String { message }
}
