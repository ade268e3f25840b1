import Foundation
import HTTPClient
import ServiceKit
import Settings

/// Makes the ways to people that the notifiers' file names.
enum NotifierChannels {
    static func make(_ settings: NotifierSettings) throws(CommandError) -> [String: any NotificationChannel] {
        var channels: [String: any NotificationChannel] = [:]
        let client = HTTPClient()
        for (route, way) in settings.notifiers {
            switch way {
            case .webhook(let url, let file):
                channels[route.id] = WebhookChannel(url: url, secret: try file.map(secret), client: client)
            case .mail(let server, let encrypted, let user, let file, let sender, let recipients, let language):
                let password = try file.map(secret).map { String(decoding: $0, as: UTF8.self) }
                let server = MailServer(url: server, security: encrypted ? .required : .none, username: user, password: password)
                channels[route.id] = MailChannel(
                    client: MailClient(server: server), sender: sender, recipients: recipients, language: language)
            case .command(let arguments): channels[route.id] = CommandChannel(arguments: arguments)
            }
        }
        return channels
    }

    /// A secret file's first line.
    private static func secret(_ path: String) throws(CommandError) -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path), let line = data.split(separator: 10).first, !line.isEmpty else {
            throw CommandError(.noInput, "the secret file \(path) is missing or empty")
        }
        return Array(line)
    }
}
