import Cryptography
import Foundation
package import Observability
package import Settings

extension ServiceContext {
    /// The certificate and key of a server of the service's own; nil where it is to serve without TLS, as it may on loopback only.
    /// - Parameters:
    ///   - host: The setting of the address that it listens on.
    ///   - certificate: The setting of the PEM file of its certificate chain.
    ///   - key: The setting of the PEM file of the certificate's key.
    /// - Throws: `CommandError` where one file is given without the other, a file cannot be read, or there is none for an address but loopback.
    package func tls(on host: Setting<String>, certificate: Setting<String?>, key: Setting<String?>) throws -> HTTPServer.TLS? {
        let both = "--\(certificate.declaration.name) and --\(key.declaration.name)"
        switch (try self[certificate], try self[key]) {
        case (let certificate?, let key?):
            let chain = try Self.text(of: certificate)
            note(chain)
            return HTTPServer.TLS(certificate: chain, key: try Self.text(of: key))
        case (nil, nil):
            let address = try self[host]
            guard Self.loopback.contains(address) else {
                throw CommandError(
                    .configuration, "--\(host.declaration.name) \(address) needs \(both): without TLS it serves on loopback only")
            }
            return nil
        default: throw CommandError(.configuration, "\(both) belong together")
        }
    }

    /// Shows when the certificate ends: from then on no client trusts the server.
    private func note(_ chain: String) {
        guard let certificate = Certificate(pem: chain) else { return }
        metrics.gauge("vigil_https_certificate_end_seconds", help: "Expiry of this server's certificate, in Unix seconds.")
            .set(Double(certificate.end))
    }

    private static let loopback: Set<String> = ["127.0.0.1", "::1"]

    private static func text(of path: String) throws -> String {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { throw CommandError(.noInput, "\(path) cannot be read") }
        return text
    }
}
