/// How the connection is encrypted. The broker's certificate and host name are always verified, with TLS 1.2 or newer;
/// there is no setting that turns this off, and a file that cannot be used is an error.
package struct TLSConfiguration: Sendable, Hashable {
    /// Path of a PEM file of the authorities to trust; without it, the system's.
    package var authorities: String?
    /// Path of the client's PEM certificate chain; needs `privateKey`.
    package var certificate: String?
    /// Path of the client's PEM private key, without a pass phrase; needs `certificate`.
    package var privateKey: String?

    package init(authorities: String? = nil, certificate: String? = nil, privateKey: String? = nil) {
        self.authorities = authorities
        self.certificate = certificate
        self.privateKey = privateKey
    }
}
