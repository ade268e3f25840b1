import Access
import Cryptography
import Foundation
import Settings

/// The accounts of a NATS broker as its configuration, made from Mosquitto's access list, which is the only source of
/// rights.
///
/// All are users of one NATS account, because topics and sessions do not reach across accounts. An account without a
/// password is left out, because NATS would accept an empty one.
struct NATSAccounts {
    private let list: AccessList
    /// The bcrypt hashes by name.
    private let passwords: [String: String]

    init(_ list: AccessList, passwords: [String: String]) { (self.list, self.passwords) = (list, passwords) }

    /// The lines without an equivalent in NATS: above all `deny`, and a right without its kind. They grant nothing, but
    /// what they forbid is not forbidden there.
    var untold: [String] {
        list.text.split(separator: "\n").map(String.init).filter { line in
            guard let first = line.split(whereSeparator: \.isWhitespace).first, first == "topic" || first == "pattern" else { return false }
            return !line.hasPrefix("\(first) ") || !TopicRight.isPlain(line)
        }
    }

    /// The file that nats.conf includes.
    var configuration: String {
        let users = rights.filter { passwords[$0.name] != nil }.map(user).joined(separator: "\n")
        return """
            # Made by `vigil accounts` of the access list; what is changed here is lost.
            accounts: {
              VIGIL: {
                jetstream: enabled
                users: [
            \(users)
                ]
              }
              SYS: {}
            }
            system_account: SYS

            """
    }

    /// Each user once, with the rights of all its sections and of everybody.
    private var rights: [(name: String, rights: [TopicRight])] {
        var byName: [String: [TopicRight]] = [:]
        var names: [String] = []
        for user in list.users {
            if byName[user.name] == nil { names.append(user.name) }
            byName[user.name, default: []] += user.rights.compactMap { TopicRight(line: $0) }
        }
        return names.map { name in (name, (byName[name] ?? []) + list.patterns.compactMap { TopicRight(line: $0, of: name) }) }
    }

    private func user(_ user: (name: String, rights: [TopicRight])) -> String {
        let publish = Self.list(user.rights.filter(\.isWrite).flatMap(\.subjects))
        // The delivery subject of a subscription with acknowledgements; NATS lets each client subscribe to its own
        // only.
        let subscribe = Self.list(user.rights.filter(\.isRead).flatMap(\.subjects) + ["$MQTT.sub.>"])
        return """
                  {user: "\(user.name)", password: "\(passwords[user.name] ?? "")", permissions: {
                    publish: {allow: [\(publish)]}
                    subscribe: {allow: [\(subscribe)]}
                  }}
            """
    }

    private static func list(_ subjects: [String]) -> String {
        var seen: Set<String> = []
        return subjects.filter { seen.insert($0).inserted }.map { "\"\($0)\"" }.joined(separator: ", ")
    }
}

/// A line of the access list.
struct TopicRight {
    let isRead: Bool
    let isWrite: Bool
    let filter: String

    /// Parses `topic readwrite FILTER`, or `pattern …` for an account; nil: no such line, or a feature of Mosquitto
    /// that NATS lacks.
    init?(line: String, of account: String? = nil) {
        let words = line.split(separator: " ", maxSplits: 2).map(String.init)
        guard Self.isPlain(line), words[0] == (account == nil ? "topic" : "pattern"), !words[2].hasPrefix("$SYS") else { return nil }
        (isRead, isWrite) = (words[1] != "write", words[1] != "read")
        filter = account.map { words[2].replacing("%u", with: $0) } ?? words[2]
    }

    /// Returns whether a line grants reading, writing, or both. Any other word grants nothing.
    static func isPlain(_ line: String) -> Bool {
        let words = line.split(separator: " ", maxSplits: 2)
        return words.count == 3 && ["read", "write", "readwrite"].contains(words[1])
    }

    /// The NATS subjects of the filter's topics. A filter that ends in `/#` also covers the topic without it, which is
    /// a separate subject.
    var subjects: [String] {
        let levels = filter.split(separator: "/", omittingEmptySubsequences: false)
        let subject = levels.map(Self.token).joined(separator: ".")
        guard levels.last == "#", levels.count > 1 else { return [subject] }
        return [subject, levels.dropLast().map(Self.token).joined(separator: ".")]
    }

    private static func token(_ level: Substring) -> String {
        switch level {
        case "+": "*"
        case "#": ">"
        case "": "/"
        default: String(level).replacing(".", with: "//")
        }
    }
}

extension AccessList {
    /// The rights of everybody, with `%u` for the account's name.
    var patterns: [String] { text.split(separator: "\n").filter { $0.hasPrefix("pattern ") }.map(String.init) }
}

extension AccountFiles {
    /// The files of a NATS broker, in the folder of the first one.
    private var hashes: String { "\(folder)/nats-passwords" }
    private var configuration: String { "\(folder)/nats.conf" }
    private var servesNATS: Bool { FileManager.default.fileExists(atPath: hashes) }

    /// Makes a NATS broker's files, or updates the services' part. Existing accounts need a new password.
    /// - Parameter passwords: The folder of the services' passwords, a file each.
    func makeNATS(servicePasswords passwords: String) throws {
        try FolderLock.holding(folder) {
            try checkForNATS(AccessList(try read(accessList)))
            try renewServices(servicePasswords: passwords)
        }
    }

    private func renewServices(servicePasswords passwords: String) throws {
        var known = try natsPasswords()
        for service in AccountList.services {
            guard let text = try? String(contentsOfFile: "\(passwords)/\(service)", encoding: .utf8) else {
                throw CommandError(.noInput, "\(passwords)/\(service) cannot be read: run deploy/init first")
            }
            let password = text.trimmingCharacters(in: .whitespacesAndNewlines)
            if let hash = known[service], BcryptPassword.matches(password, hash: hash) { continue }
            known[service] = try BcryptPassword.hash(password, isGenerated: true)
        }
        try write(known)
    }

    /// The hash of an account's password, if there is a NATS broker.
    func natsHash(_ password: String, isGenerated: Bool) throws(BcryptPassword.Failure) -> String? {
        servesNATS ? try BcryptPassword.hash(password, isGenerated: isGenerated) : nil
    }

    /// Writes a changed account to the NATS broker's files, if they exist.
    /// - Parameter hash: Its new password's hash; nil for a removed account.
    func renewNATS(_ name: String, hash: String?) throws {
        guard servesNATS else { return }
        var known = try natsPasswords()
        known[name] = hash
        try write(known)
    }

    /// Writes changed rights.
    func renewNATS() throws { if servesNATS { try write(natsPasswords()) } }

    /// - Throws: if NATS would not do what the access list says.
    func checkForNATS(_ list: AccessList) throws(CommandError) {
        guard let line = NATSAccounts(list, passwords: [:]).untold.first else { return }
        throw CommandError(
            .data, "\(accessList): \"\(line)\" stands for nothing at NATS; give the rights that are wanted with read, write or readwrite")
    }

    /// The same, if there is such a broker.
    func checkNATS(_ list: AccessList) throws { if servesNATS { try checkForNATS(list) } }

    /// Returns whether a NATS broker's files name an account, even only one of them after an interrupted change.
    func namesForNATS(_ name: String) throws -> Bool {
        guard servesNATS else { return false }
        let present = (try? read(configuration)) ?? ""
        return try natsPasswords()[name] != nil || present.contains("{user: \"\(name)\",")
    }

    private func natsPasswords() throws -> [String: String] {
        guard servesNATS else { return [:] }
        let lines = try read(hashes).split(separator: "\n").map { $0.split(separator: ":", maxSplits: 1).map(String.init) }
        return Dictionary(lines.filter { $0.count == 2 }.map { ($0[0], $0[1]) }) { $1 }
    }

    private func write(_ passwords: [String: String]) throws {
        try write(passwords.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)\n" }.joined(), to: hashes)
        try write(NATSAccounts(AccessList(try read(accessList)), passwords: passwords).configuration, to: configuration)
    }
}
