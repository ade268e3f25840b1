import HTTPClient
import Observability
import ServiceKit

/// Requests a monitor's address regularly while the engine works. The monitor raises the alarm when the requests stop.
///
/// If the monitor refuses permanently, or does not answer three times in a row, a technical alarm reports it, because
/// the end of the service would not be noticed.
struct HeartbeatSender: Service {
    /// The name of the heartbeat among the notifiers in rules.
    static let name = "heartbeat"
    /// Temporary refusals: too slow, too early, too often.
    private static let passing: Set<Int> = [408, 425, 429]

    let heartbeat: NotifierSettings.Heartbeat
    let log: Logger
    /// True while inputs are judged and outputs leave.
    let isAlive: @Sendable () async -> Bool
    var clock: any Clock<Duration> = ContinuousClock()
    /// Reports the monitor's condition.
    let report: @Sendable (_ notifier: String, _ condition: NotifierCondition) async -> Void

    func run() async throws {
        let client = HTTPClient()
        let timeout = min(heartbeat.interval, .seconds(10))
        var progress = Progress()
        while !Task.isCancelled {
            guard await isAlive() else {
                try await clock.sleep(for: min(heartbeat.interval, .seconds(1)))
                continue
            }
            await note(await beat(client, timeout), &progress)
            try await clock.sleep(for: heartbeat.interval)
        }
    }

    private struct Progress {
        var failures = 0
        var isReported: Bool?
    }

    private struct Failure {
        let reason: String
        let isLasting: Bool
    }

    /// Sends one request; nil: accepted.
    private func beat(_ client: HTTPClient, _ timeout: Duration) async -> Failure? {
        do throws(TransferError) {
            let status = try await client.get(heartbeat.url, timeout: timeout, limit: 65_536).status
            guard status >= 400 else { return nil }
            return Failure(
                reason: "the monitor answered with status \(status)", isLasting: status < 500 && !Self.passing.contains(status))
        } catch {
            return Failure(reason: error.description, isLasting: false)
        }
    }

    /// Logs the first failure and each doubling of their number, and reports a lasting failure.
    private func note(_ failure: Failure?, _ progress: inout Progress) async {
        guard let failure else {
            if progress.failures > 0 { log.notice("heartbeats are delivered again", ["failures": "\(progress.failures)"]) }
            progress.failures = 0
            return await tell(false, &progress)
        }
        progress.failures += 1
        if progress.failures.nonzeroBitCount == 1 {
            log.warning("heartbeat not delivered", ["error": failure.reason, "failures": "\(progress.failures)"])
        }
        if failure.isLasting || progress.failures >= NotificationPlanner.failuresUntilAlarm { await tell(true, &progress) }
    }

    private func tell(_ isFailing: Bool, _ progress: inout Progress) async {
        guard progress.isReported != isFailing else { return }
        progress.isReported = isFailing
        await report(Self.name, isFailing ? .heartbeatRefused : .delivering)
    }
}
