/// Certificates made by openssl for one test: an authority, a server of it for 127.0.0.1 and localhost, a client of it, and a stranger's authority.
package struct TestCertificates: Sendable {
    package let authority: String
    package let serverCertificate: String
    package let serverKey: String
    package let clientCertificate: String
    package let clientKey: String
    /// Signed nothing of the above.
    package let strangeAuthority: String
    /// Holds the files.
    private let folder: TemporaryFolder

    /// - Parameter names: For whom the server's certificate is, in openssl's form.
    package init(names: String = "IP:127.0.0.1,DNS:localhost") async throws {
        let folder = try TemporaryFolder("vigil-certificates")
        self.folder = folder
        authority = folder.path("ca.crt")
        serverCertificate = folder.path("server.crt")
        serverKey = folder.path("server.key")
        clientCertificate = folder.path("client.crt")
        clientKey = folder.path("client.key")
        strangeAuthority = folder.path("stranger.crt")
        try await Self.makeAuthority("ca", in: folder)
        try await Self.makeAuthority("stranger", in: folder)
        try await Self.sign("server", names: names, in: folder)
        try await Self.sign("client", names: "DNS:client", in: folder)
    }

    private static func makeAuthority(_ name: String, in folder: TemporaryFolder) async throws {
        try await openssl(
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
                "/CN=Vigil test \(name)",
                "-keyout", folder.path("\(name).key"), "-out", folder.path("\(name).crt"),
            ], folder)
    }

    private static func sign(_ name: String, names: String, in folder: TemporaryFolder) async throws {
        try await openssl(
            [
                "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=\(name)",
                "-keyout", folder.path("\(name).key"), "-out", folder.path("\(name).csr"),
            ], folder)
        let extensions = try folder.write("subjectAltName=\(names)\n", to: "\(name).ext")
        try await openssl(
            [
                "x509", "-req", "-days", "2", "-in", folder.path("\(name).csr"), "-CA", folder.path("ca.crt"), "-CAkey",
                folder.path("ca.key"),
                "-CAcreateserial", "-extfile", extensions, "-out", folder.path("\(name).crt"),
            ], folder)
    }

    private static func openssl(_ arguments: [String], _ folder: TemporaryFolder) async throws {
        try await ChildProcess.run("/usr/bin/openssl", arguments, in: folder)
    }
}
