/// What the notifiers' file says.
package struct NotifierSettings: Sendable {
    /// How a notifier reaches people.
    package enum Way: Sendable, Hashable {
        case webhook(url: String, secretFile: String?)
        case mail(
            server: String, encrypted: Bool, user: String?, passwordFile: String?, sender: String, recipients: [String], language: String)
        case command([String])
    }

    /// Who is told that the service lives.
    package struct Heartbeat: Sendable, Hashable {
        package let url: String
        /// Microseconds.
        package let interval: Int64
    }

    package var notifiers: [(route: NotifierRoute, way: Way)] = []
    /// The dead man's switch: a monitor elsewhere that raises the alarm when this stops.
    package var heartbeat: Heartbeat?

    package init() {}
}
