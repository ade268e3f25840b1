package import Access
import Foundation
package import Observability
import ServiceKit
package import TimelineStore
import VigilSchema

/// Writes the changes of `vigil accounts`, which the command leaves in a file, to the audit trail.
///
/// A separate file has the number of the last written line. After a crash, or if another replica wrote lines, the
/// number may be too low; lines that the trail already has are not written again.
package struct AccountChangeIntake: Service {
    private static let interval = Duration.seconds(1)
    /// The most lines that are written at once.
    private static let most = 500

    private let changes: AccountChanges
    private let store: any TimelineStore
    private let mark: String
    private let log: Logger
    private let clock: any Clock<Duration>

    /// - Parameter mark: The path of the file for the last line's number.
    package init(
        changes: AccountChanges, store: any TimelineStore, mark: String, log: Logger, clock: any Clock<Duration> = ContinuousClock()
    ) {
        (self.changes, self.store, self.mark, self.log, self.clock) = (changes, store, mark, log, clock)
    }

    package func run() async throws {
        var seen: FileVersion?
        while !Task.isCancelled {
            let version = changes.version
            if version != seen {
                do {
                    try await tell()
                    seen = version
                } catch {
                    if Task.isCancelled { return }
                    log.error("the audit trail could not be told of accounts; trying again", ["error": "\(error)"])
                }
            }
            do { try await clock.sleep(for: Self.interval) } catch { return }
        }
    }

    /// Writes all new lines.
    private func tell() async throws {
        let told = (try? String(contentsOfFile: mark, encoding: .utf8)).flatMap { Int64($0) } ?? 0
        let lines = changes.lines(after: told).filter { line in
            do { try line.entry.validate() } catch { return false }
            return true
        }
        for first in stride(from: 0, to: lines.count, by: Self.most) {
            let some = lines[first..<min(lines.count, first + Self.most)]
            let known = try await alreadyTold(some.map(\.entry))
            try await store.append(audit: some.map(\.entry).filter { !known.contains(Line($0)) })
            if let last = some.last { try keep(last.number) }
        }
    }

    /// A line as the trail returns it, without the participant, whose name may have been erased.
    private struct Line: Hashable {
        let time: Timestamp
        let words: [String?]

        init(_ entry: AuditEntry) { (time, words) = (entry.time, [entry.actor, entry.operation, entry.detail, entry.outcome]) }
    }

    /// The lines of the trail in the time range of these.
    private func alreadyTold(_ entries: [AuditEntry]) async throws -> Set<Line> {
        let times = entries.map(\.time)
        guard let first = times.min(), let last = times.max() else { return [] }
        var (found, after): (Set<Line>, Int64) = ([], 0)
        while true {
            let lines = try await store.audit(
                participant: nil, from: first, to: last.advanced(bySeconds: 0.001), limit: 1000, after: after)
            found.formUnion(lines.map { Line($0.entry) })
            guard let number = lines.last?.number, lines.count == 1000 else { return found }
            after = number
        }
    }

    private func keep(_ number: Int64) throws {
        try Data("\(number)".utf8).write(to: URL(filePath: mark), options: .atomic)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: mark)
    }
}
