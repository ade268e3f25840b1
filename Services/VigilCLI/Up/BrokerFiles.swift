import Foundation
import ServiceKit

/// The broker's configuration: the shipped settings and what this machine adds.
enum BrokerFiles {
    /// The text of the shipped settings.
    static func settings(given path: String?) throws(CommandError) -> String {
        let place = path ?? ShippedFiles.path("mosquitto/mosquitto.conf", installed: "mosquitto.conf")
        if let place, let text = try? String(contentsOfFile: place, encoding: .utf8) { return text }
        throw CommandError(
            .noInput,
            path.map { "\($0) cannot be read" }
                ?? "the broker's settings were not found: give --mosquitto-settings deploy/mosquitto/mosquitto.conf")
    }

    /// The whole configuration for a broker on loopback that keeps its files in the folder.
    static func configuration(settings: String, port: Int, folder: String) throws -> String {
        var lines = [
            settings, "# Added by vigil up.", "listener \(port) 127.0.0.1", "allow_anonymous true", "persistence_location \(folder)/",
        ]
        // Started by root, Mosquitto would become a user who may not write in the folder.
        if geteuid() == 0 { lines.append("user root") }
        return lines.joined(separator: "\n") + "\n"
    }
}
