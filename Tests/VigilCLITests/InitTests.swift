import Foundation
import TestSupport
import Testing

/// The certificates that deploy/init makes, as openssl reads them.
@Suite("deploy/init", .timeLimit(.minutes(2)))
struct InitTests {
    private static let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../deploy/init").standardized.path

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder("vigil-init") }

    private func initialise(_ words: String...) async throws {
        let (code, output) = try await run(words)
        #expect(code == 0, "\(output)")
    }

    private func run(_ words: [String]) async throws -> (code: Int32, output: String) {
        let child = try ChildProcess(
            "/bin/bash", [Self.script] + words, output: folder.path(UUID().uuidString),
            environment: ["VIGIL_SECRETS": folder.path("secrets"), "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"])
        return (try await child.waitForExit(), child.output)
    }

    private func names(_ certificate: String) async throws -> String {
        let words = ["x509", "-noout", "-ext", "subjectAltName", "-in", folder.path("secrets/tls/\(certificate).crt")]
        let child = try ChildProcess("/usr/bin/openssl", words, output: folder.path(UUID().uuidString), environment: [:])
        #expect(try await child.waitForExit() == 0, "\(child.output)")
        return child.output
    }

    @Test("a certificate that is made anew has the names by which devices know the deployment, also where only a password was replaced")
    func renewal() async throws {
        try await initialise("--host", "vigil.example.org", "--host", "10.1.2.3")
        let first = try await names("ingest")
        #expect(first.contains("DNS:vigil.example.org") && first.contains("IP Address:10.1.2.3"), "\(first)")
        try await initialise("--rotate", "ingest", "--rotate", "broker", "--host", "second.example.org")
        for name in ["ingest", "broker"] {
            let renewed = try await names(name)
            for part in ["DNS:vigil.example.org", "IP Address:10.1.2.3", "DNS:second.example.org", "DNS:localhost"] {
                #expect(renewed.components(separatedBy: part).count == 2, "\(name): \(renewed)")
            }
        }
    }

    @Test("a new authority signs everything that the former one had signed: servers, devices and the nodes of a cluster, by their names")
    func authority() async throws {
        try await initialise("--host", "vigil.example.org", "--node", "10.1.2.3", "--node", "second.example.org", "--client", "w1")
        let before = try String(contentsOfFile: folder.path("secrets/tls/ca.crt"), encoding: .utf8)
        try await initialise("--rotate", "ca")
        #expect(try String(contentsOfFile: folder.path("secrets/tls/ca.crt"), encoding: .utf8) != before)
        for name in ["broker", "dashboard", "ingest", "database", "node-1", "node-2", "clients/w1"] {
            let certificate = folder.path("secrets/tls/\(name).crt")
            let child = try ChildProcess(
                "/usr/bin/openssl", ["verify", "-CAfile", folder.path("secrets/tls/ca.crt"), certificate],
                output: folder.path(UUID().uuidString), environment: [:])
            #expect(try await child.waitForExit() == 0, "\(name): \(child.output)")
        }
        #expect(try await names("broker").contains("DNS:vigil.example.org"))
        #expect(try await names("node-1").contains("IP Address:10.1.2.3"))
        #expect(try await names("node-2").contains("DNS:second.example.org"))
    }

    @Test("a certificate that is about to end is named, with what renews it; before there is nothing to say")
    func expiry() async throws {
        try await initialise()
        let well = try await run(["--expiring"])
        #expect(well.code == 0 && well.output.isEmpty, "\(well.output)")
        let words = [
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30", "-subj", "/CN=ingest",
            "-keyout",
            folder.path("key"), "-out", folder.path("ingest.crt"),
        ]
        let child = try ChildProcess("/usr/bin/openssl", words, output: folder.path("made"), environment: [:])
        #expect(try await child.waitForExit() == 0, "\(child.output)")
        let place = folder.path("secrets/tls/ingest.crt")
        try FileManager.default.removeItem(atPath: place)
        try FileManager.default.moveItem(atPath: folder.path("ingest.crt"), toPath: place)
        let told = try await run(["--expiring"])
        #expect(told.code == 1 && told.output.contains("ingest.crt ends on ") && told.output.contains("--rotate ingest"), "\(told.output)")
        try await initialise("--rotate", "ingest")
        #expect(try await run(["--expiring"]).code == 0)
    }
}
