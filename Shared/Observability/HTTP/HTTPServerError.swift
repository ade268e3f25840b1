import Foundation

/// The reason why the HTTP server cannot be started.
package struct HTTPServerError: Error, Sendable, CustomStringConvertible {
    package let host: String
    package let port: Int
    /// The system's error number.
    package let number: Int32

    package var description: String {
        if number == EINVAL { return "cannot listen on \(host):\(port): --http-host must be an IPv4 or IPv6 address" }
        if number == EPROTO { return "cannot serve TLS on \(host):\(port): the certificate and its key must be PEM and belong together" }
        let reason = unsafe String(cString: strerror(number))
        return "cannot listen on \(host):\(port): \(reason)"
    }
}
