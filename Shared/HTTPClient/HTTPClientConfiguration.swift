/// How a client connects.
package struct HTTPClientConfiguration: Hashable, Sendable {
    /// What it calls itself.
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
