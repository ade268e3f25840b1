import Glibc

extension BrokerConfiguration {
    /// Finds what would fail or mislead later, by name. Throws `invalidConfiguration`.
    func check() throws(BusError) {
        try require(!host.isEmpty && !host.utf8.contains(0), "host is empty")
        try require(port > 0, "port must be 1 to 65535")
        try require(
            !clientID.isEmpty && clientID.utf8.count <= 65_535 && !clientID.utf8.contains(0), "client identifier is empty or too long")
        try require(keepAlive >= .seconds(5) && keepAlive <= .seconds(65_535), "keep-alive must be 5 to 65535 seconds")
        try require(connectTimeout > .zero, "connect timeout must be more than 0")
        try require(backoff.base > .zero && backoff.maximum >= backoff.base, "back-off must be more than 0 and at most its maximum")
        try require(password == nil || username != nil, "a password needs a user name")
        try require(username?.utf8.contains(0) != true && password?.exposed.utf8.contains(0) != true, "user name or password with a NUL")
        if let lastWill { try lastWill.check(during: .configure) }
        if let tls { try check(tls) }
    }

    private func check(_ tls: TLSConfiguration) throws(BusError) {
        try require((tls.certificate == nil) == (tls.privateKey == nil), "a TLS client certificate and its private key go together")
        for (name, path) in [("authorities", tls.authorities), ("certificate", tls.certificate), ("private key", tls.privateKey)] {
            guard let path else { continue }
            let isReadable = unsafe access(path, R_OK) == 0
            try require(isReadable, "TLS \(name) file cannot be read: \(path)")
        }
    }

    private func require(_ condition: Bool, _ detail: String) throws(BusError) {
        if !condition { throw BusError(.invalidConfiguration, during: .configure, detail: detail) }
    }
}
