package import Observability
import ServiceKit
import Synchronization

/// Lines of the audit that could not be written when somebody was shown live values, as the database did not answer: they are, as soon as it does.
///
/// Only for what nobody should have to wait for; everything else is not done before its line is written. It is bounded: whoever comes when it is full is shown nothing.
package final class UnwrittenAudit: Service {
    private static let most = 1_000
    private static let interval = Duration.seconds(1)

    private let accounts: AccountStore
    private let log: Logger
    private let clock: any Clock<Duration>
    private let waiting = Mutex<[AuditRecord]>([])

    package init(accounts: AccountStore, log: Logger, clock: any Clock<Duration> = ContinuousClock()) {
        (self.accounts, self.log, self.clock) = (accounts, log, clock)
    }

    /// Takes a line; false where there is no room.
    func take(_ line: AuditRecord) -> Bool {
        waiting.withLock { waiting in
            guard waiting.count < Self.most else { return false }
            waiting.append(line)
            return true
        }
    }

    package func run() async throws {
        while !Task.isCancelled {
            await write()
            do { try await clock.sleep(for: Self.interval) } catch { break }
        }
        let lost = waiting.withLock { $0.count }
        if lost > 0 { log.error("lines of the audit could not be written before the end", ["lines": "\(lost)"]) }
    }

    /// Writes what waits, in its order, as far as it can be.
    func write() async {
        while let line = waiting.withLock({ $0.first }) {
            guard (try? await accounts.audit(line)) != nil else { return }
            waiting.withLock { _ = $0.removeFirst() }
        }
    }
}
