/// Something that goes wrong with a running suite.
package enum Fault: Sendable, Hashable {
    /// SIGKILL; the service is started again at once.
    case kill(service: String)
    /// SIGSTOP, and SIGCONT after that time.
    case freeze(service: String, seconds: Double)
    /// The broker is stopped as an operator does, and started again.
    case restartBroker
    /// SIGKILL of the broker: it forgets what it has not saved.
    case killBroker
    /// The broker hangs, its connections open.
    case freezeBroker(seconds: Double)
    /// `pg_ctl stop -m immediate`, and a start after that time.
    case stopDatabase(seconds: Double)
    /// Connections break, and no new one is made for that time.
    case cut(Link, seconds: Double)
    /// Connections stay, and nothing comes through for that time.
    case stall(Link, seconds: Double)
    /// Everything comes that much later, for a while.
    case delay(Link, milliseconds: Int, seconds: Double)
    /// The disk that SQLite and the services' state are on is full for that time.
    case fillDisk(seconds: Double)

    /// Connections that lead through a proxy.
    package enum Link: String, Sendable, Hashable, CaseIterable {
        /// From the services to the broker.
        case broker
        /// From `vigil-timeline` to PostgreSQL.
        case database
    }

    /// What must not be hit by two faults at once, because ending one would end the other.
    package var target: String {
        switch self {
        case .kill(let service), .freeze(let service, _): service
        case .restartBroker, .killBroker, .freezeBroker: "mosquitto"
        case .stopDatabase: "postgres"
        case .cut(let link, _), .stall(let link, _), .delay(let link, _, _): "link to the \(link.rawValue)"
        case .fillDisk: "disk"
        }
    }

    /// How long it lasts, in seconds.
    package var seconds: Double {
        switch self {
        case .kill, .restartBroker, .killBroker: 0
        case .freeze(_, let seconds), .freezeBroker(let seconds), .stopDatabase(let seconds), .cut(_, let seconds), .stall(_, let seconds),
            .delay(_, _, let seconds), .fillDisk(let seconds):
            seconds
        }
    }
}
