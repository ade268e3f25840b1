import Foundation
import VigilSchema

extension AlertCore {
    /// Transitions that notifiers have not seen, and the id of the last; 0: there are none.
    func notices(after id: Int64) throws -> (messages: [AlertMessage], last: Int64) {
        let rows = try store.notices(after: id, limit: 500)
        return (try rows.map { try AlertMessage(decoding: $0.event) }, rows.last?.id ?? 0)
    }

    /// What the notifiers knew when the process ended.
    func notifierState() throws -> NotificationPlanner.State {
        guard let bytes = try store.meta("notifier") else { return NotificationPlanner.State() }
        return try JSONDecoder().decode(NotificationPlanner.State.self, from: Data(bytes))
    }

    /// Keeps what the notifiers know, and forgets the transitions that it covers.
    func keep(notifier state: NotificationPlanner.State, coveredTo id: Int64) throws {
        try store.keepNotifier(state: [UInt8](try JSONEncoder().encode(state)), coveredTo: id)
    }
}
