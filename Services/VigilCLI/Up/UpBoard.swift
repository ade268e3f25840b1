import ServiceKit
import Synchronization

/// What `vigil up` tells its operator.
final class UpBoard: Sendable {
    private let plan: UpPlan
    private let isStoppingNow = Mutex(false)

    init(plan: UpPlan) { self.plan = plan }

    /// Says what happened to a program, where the operator should know.
    func note(_ name: String, _ event: Supervisor.Event) {
        switch event {
        case .started: break
        case .died(let status, let again):
            StandardOutput.line("\(name) ended with \(status); starting it again in \(again). See \(plan.stateFolder)/logs/\(name).log")
        case .stopped:
            if isStoppingNow.withLock({ $0 }) { StandardOutput.line("\(name) stopped") }
        }
    }

    /// Says where to look.
    func isUp() {
        let moved = plan.isPortMoved ? "  (port 1883 is taken by another program: add -p \(plan.brokerPort) to mosquitto_pub)" : ""
        var lines = [
            "Vigil is up.", "", "  broker          mqtt://127.0.0.1:\(plan.brokerPort)\(moved)", "  timeline        \(plan.timeline)",
            "  logs            \(plan.stateFolder)/logs/",
        ]
        lines += Suite.services.enumerated().map { index, service in
            "  \(service.name)\(String(repeating: " ", count: max(1, 16 - service.name.count)))http://127.0.0.1:\(plan.healthPort(index))/metrics"
        }
        let port = plan.brokerPort == 1883 ? "" : " --broker-port \(plan.brokerPort)"
        lines += [
            "", "Try, in another terminal:", "  vigil watch\(port)", "  vigil simulate anna\(port)",
            "  sqlite3 \(plan.timeline) 'SELECT * FROM readings ORDER BY time DESC LIMIT 5'", "", "Ctrl-C stops everything.",
        ]
        StandardOutput.line(lines.joined(separator: "\n"))
    }

    /// Says that the services are finishing what they hold.
    func isStopping() {
        isStoppingNow.withLock { $0 = true }
        StandardOutput.line("stopping: what was taken is stored first")
    }
}
