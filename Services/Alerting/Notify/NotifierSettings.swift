import Foundation
import VigilSchema

/// The content of the notifier file.
package struct NotifierSettings: Sendable, Hashable {
    /// One receiver.
    package struct Entry: Sendable, Hashable {
        package var route: NotifierRoute
        package var way: Way
        /// The time limit of one delivery.
        package var timeout: Duration
        /// Whether people have the names from the file.
        package var showsNames = true
        /// Whether services have their names; nil: if the notifier gets technical alerts only.
        package var showsServices: Bool?
        /// Whether its messages hold links with which alarms are answered.
        package var mayAnswer = false
        /// The notifier that gets what this one cannot deliver.
        package var otherwise: String?
    }

    /// The channel of a notifier.
    package enum Way: Sendable, Hashable {
        case webhook(url: String, secretFile: String?)
        case mail(Mail)
        case command([String])
        case service(Service)
        case push(Push)
    }

    /// The browsers of a person, and who sends to them.
    package struct Push: Sendable, Hashable {
        /// The subscriptions as the browsers give them.
        let subscriptionFile: String
        /// The secret of the pages' key (VAPID).
        let keyFile: String
        let contact: String
        let reader: NotificationReader
    }

    /// The service of a notifier that a file describes, with what the notifier says of it.
    package struct Service: Sendable, Hashable {
        let template: ServiceTemplate
        /// By parameter, without secrets.
        let parameters: [String: TemplateValue]
        /// The files of secrets, by parameter.
        let secretFiles: [String: String]
        let reader: NotificationReader
        /// A file of trusted certificates instead of the system's.
        let certificates: String?
    }

    /// A mail notifier's server and readers.
    package struct Mail: Sendable, Hashable {
        package var server: String
        package var isEncrypted: Bool
        package var user: String?
        package var passwordFile: String?
        package var sender: String
        package var recipients: [String]
        package var reader: NotificationReader
    }

    /// The monitor of the heartbeat.
    package struct Heartbeat: Sendable, Hashable {
        package let url: String
        package let interval: Duration
    }

    /// The links with which receivers answer from a message.
    package struct Answers: Sendable, Hashable {
        /// The address of the pages, without a slash at its end.
        package let url: String
        /// The file of the key that the dashboard has too.
        package let keyFile: String
        /// The seconds for which a link is good.
        package let lifetime: Double
    }

    /// A person's name in messages.
    package struct Person: Sendable, Hashable {
        package var name: String?
        package var family: String?
    }

    package var notifiers: [Entry] = []
    /// The routes; nil: each notifier's own filter applies.
    package var routing: RoutingTree?
    /// By participant.
    package var people: [String: Person] = [:]
    /// The dead man's switch: an external monitor that raises the alarm when the heartbeat stops.
    package var heartbeat: Heartbeat?
    /// Nil: messages hold no links.
    package var answers: Answers?

    package init() {}

    /// A notifier and those that take its place, in order.
    func ways(of notifier: String) -> [Entry] {
        var (ways, next) = ([Entry](), Optional(notifier))
        while let name = next, let entry = notifiers.first(where: { $0.route.id == name }), !ways.contains(where: { $0.route.id == name }) {
            ways.append(entry)
            next = entry.otherwise
        }
        return ways
    }
}
