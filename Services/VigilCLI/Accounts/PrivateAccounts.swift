import Access
import Cryptography
import Foundation
import MessageBus
import ServiceKit
import Settings

/// The accounts of `vigil up --private`: one for each service and one for the operator's own commands, made at the
/// first start in the state folder, closed to other users of the machine. `vigil accounts --accounts-folder …` adds
/// devices and people.
struct PrivateAccounts: Sendable {
    /// Below the state folder.
    static let folderName = "accounts"
    let folder: String
    /// The port for services and the operator; devices and people use the usual one.
    let servicePort: Int

    /// The password file of a service's account.
    func passwordFile(_ account: String) -> String { "\(folder)/keys/\(account)" }

    /// Makes missing accounts, and updates the services' part of the access list.
    func prepare() throws {
        let closed: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
        for part in ["/keys", "/roles"] {
            try FileManager.default.createDirectory(atPath: folder + part, withIntermediateDirectories: true, attributes: closed)
        }
        var hashes: [String] = []
        for account in AccountList.services {
            hashes.append(try BrokerPassword.line(account, try password(of: account), isGenerated: true))
        }
        try write(hashes.joined(separator: "\n") + "\n", to: "services")
        try write(accessList(), to: "acl")
        if !exists("passwords") { try write("", to: "passwords") }
        if !exists("roles/\(AccountList.fileName)") {
            try write(String(decoding: AccountList().encoded(), as: UTF8.self), to: "roles/\(AccountList.fileName)")
        }
        try write("\(servicePort)\n", to: "port")
    }

    /// The broker's lines that replace those for everybody.
    func brokerLines(outsidePort: Int, at address: String = "127.0.0.1") -> [String] {
        let rights = ["allow_anonymous false", "acl_file \(folder)/acl"]
        return ["per_listener_settings true", "listener \(servicePort) 127.0.0.1"] + rights + ["password_file \(folder)/services"]
            + ["listener \(outsidePort) \(address)"] + rights + ["password_file \(folder)/passwords", "use_username_as_clientid true"]
    }

    /// The settings of a service, by name, without unknown ones.
    func settings(of service: String, roles: String?) -> [String: String] {
        let account = String(service.dropFirst("vigil-".count))
        var settings = ["broker-port": "\(servicePort)", "broker-user": account, "broker-password-file": passwordFile(account)]
        settings["accounts-file"] = "\(folder)/roles/\(AccountList.fileName)"
        settings["roles-file"] = roles
        return settings
    }

    /// The password of an account, created if missing.
    private func password(of account: String) throws -> String {
        if let known = try? String(contentsOfFile: passwordFile(account), encoding: .utf8), !known.isEmpty { return known }
        var generator = SystemRandomNumberGenerator()
        let password = Data((0..<24).map { _ in UInt8.random(in: 0...255, using: &generator) }).base64EncodedString()
        try write(password, to: "keys/\(account)")
        return password
    }

    /// The shipped rights of the services, and those that `vigil accounts` has added, including vigil-ingest's for
    /// bridges.
    private func accessList() throws -> String {
        guard let shipped = ShippedFiles.path("mosquitto/acl", installed: "acl"),
            let text = try? String(contentsOfFile: shipped, encoding: .utf8)
        else {
            throw CommandError(.noInput, "the services' access list was not found beside this program: deploy/mosquitto/acl")
        }
        var list = AccessList(text)
        let known = AccessList((try? String(contentsOfFile: "\(folder)/acl", encoding: .utf8)) ?? "")
        for user in known.users where !AccountList.services.contains(user.name) { list.set(user.name, rights: user.rights) }
        list.grant("ingest", rights: known.bridgeReads)
        return list.text
    }

    private func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: "\(folder)/\(name)") }

    private func write(_ text: String, to name: String) throws {
        let path = "\(folder)/\(name)"
        try Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }
}

extension PrivateAccounts {
    /// The port and account for commands of the machine's own user; nil: no private suite was started in the folder.
    static func own(stateFolder: String) -> (port: Int, user: String, password: Secret)? {
        let accounts = PrivateAccounts(folder: "\(stateFolder)/\(folderName)", servicePort: 0)
        guard let text = try? String(contentsOfFile: "\(accounts.folder)/port", encoding: .utf8),
            let port = Int(text.trimmingCharacters(in: .whitespacesAndNewlines)),
            let password = try? String(contentsOfFile: accounts.passwordFile("operator"), encoding: .utf8)
        else { return nil }
        return (port, "operator", Secret(password))
    }
}

/// Makes the broker read its accounts again when their files change.
struct AccountsWatch: Service {
    let folder: String
    let signal: @Sendable () -> Void
    /// Waits between two checks.
    var clock: any Clock<Duration> = ContinuousClock()

    func run() async throws {
        var (seen, last) = (changes(), 13)
        while !Task.isCancelled {
            try await clock.sleep(for: .seconds(1))
            let now = changes()
            last = now == seen ? min(last + 1, 13) : 0
            // A broker that reads its files at that moment loses the signal.
            if [0, 3, 12].contains(last) { signal() }
            seen = now
        }
    }

    private func changes() -> [FileVersion?] { ["passwords", "services", "acl"].map { FileVersion("\(folder)/\($0)") } }
}
