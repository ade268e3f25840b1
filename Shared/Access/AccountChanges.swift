import Foundation
package import VigilSchema

/// The changes that `vigil accounts` made, for the audit trail: a file beside the list of roles, which vigil-timeline reads.
///
/// The command works on files alone, without broker and database; so the file is its outbox. A change stands in it before it is made. Lines have
/// numbers that only rise, by which the reader knows where it was. Once an account or a participant is forgotten, a pseudonym stands in its place.
package struct AccountChanges: Sendable {
    /// A line of the file.
    package struct Line: Codable, Hashable, Sendable {
        /// Microseconds since 1970, or one more than the line before.
        package let number: Int64
        package var entry: AuditEntry
    }

    /// The file's name, beside `accounts.json`.
    package static let fileName = "changes.jsonl"
    /// The number of lines that are kept: those before them have long been told. Together they fit into a secret of Kubernetes.
    private static let most = 2000
    /// The file is read by services with users of their own; the folder is closed.
    private static let permissions = 0o444

    private let path: String

    /// - Parameter accounts: The path of the list of roles.
    package init(besideAccounts accounts: String) {
        path = URL(filePath: accounts).deletingLastPathComponent().appending(path: Self.fileName).path
    }

    /// The file's present content; nil where there is none.
    package var version: FileVersion? { FileVersion(path) }

    /// The lines behind a number. One that cannot be read is passed over.
    package func lines(after number: Int64 = 0) -> [Line] {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return [] }
        return text.split(separator: "\n").compactMap { try? JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
            .filter { $0.number > number }
    }

    /// Adds lines; on disk when it returns.
    package func append(_ entries: [AuditEntry]) throws { try write(lines(with: entries)) }

    /// Adds lines, and puts a pseudonym in the place of each of these names, in them as in all others.
    package func forget(_ names: Set<String>, adding entries: [AuditEntry]) throws {
        let pseudonyms = Dictionary(uniqueKeysWithValues: names.map { ($0, Self.pseudonym()) })
        var all = lines(with: entries)
        let concerned = all.indices.filter { all[$0].entry.participant.map(names.contains) == true }
        guard !entries.isEmpty || !concerned.isEmpty else { return }
        for place in concerned { all[place].entry.participant = all[place].entry.participant.flatMap { pseudonyms[$0] } }
        try write(all)
    }

    private func lines(with entries: [AuditEntry]) -> [Line] {
        var all = lines()
        for entry in entries { all.append(Line(number: max(entry.time.microseconds, (all.last?.number ?? 0) + 1), entry: entry)) }
        return all
    }

    /// As the audit trail makes them: what begins so is taken for no name.
    private static func pseudonym() -> String {
        "~" + (0..<2).map { _ in String(UInt32.random(in: 0x1000_0000...UInt32.max), radix: 16) }.joined()
    }

    /// All at once, as it may be read at any moment.
    private func write(_ lines: [Line]) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let text = try lines.suffix(Self.most).map { try encoder.encode($0) + Data("\n".utf8) }.reduce(Data(), +)
        let next = path + ".new"
        try? FileManager.default.removeItem(atPath: next)
        try text.write(to: URL(filePath: next))
        let handle = try FileHandle(forUpdating: URL(filePath: next))
        try handle.synchronize()
        try handle.close()
        try FileManager.default.setAttributes([.posixPermissions: Self.permissions], ofItemAtPath: next)
        guard rename(next, path) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }
}
