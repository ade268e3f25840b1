import Foundation
import ServiceKit
import Settings

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

    /// The whole configuration for a broker that keeps its files in the folder; on loopback, and for those with an account also at an address.
    static func configuration(
        settings: String, port: Int, folder: String, accounts: PrivateAccounts? = nil, address: String = "127.0.0.1"
    ) throws -> String {
        let access = accounts?.brokerLines(outsidePort: port, at: address) ?? ["listener \(port) 127.0.0.1", "allow_anonymous true"]
        var lines = [settings, "# Added by vigil up.", "persistence_location \(folder)/"] + access
        // Started by root, Mosquitto would become a user who may not write in the folder.
        if geteuid() == 0 { lines.insert("user root", at: 2) }
        return lines.joined(separator: "\n") + "\n"
    }
}

/// The broker that a killed `vigil up` left behind: services end with their parent, Mosquitto does not.
enum StaleBroker {
    /// Ends whatever broker still runs on this state folder's files, and waits for it to save them. To be called under the folder's lock.
    static func stop(stateFolder: String) async throws {
        let left = processes(on: "\(stateFolder)/broker/mosquitto.conf")
        for process in left { kill(process, SIGTERM) }
        try await ReadyProbe(deadline: .seconds(20)).wait("the end of the broker that an earlier vigil up left behind") {
            left.allSatisfy { kill($0, 0) != 0 }
        }
    }

    /// The processes that were started with that file.
    private static func processes(on file: String) -> [Int32] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return all.compactMap { Int32($0) }.filter { number in
            let words = (FileManager.default.contents(atPath: "/proc/\(number)/cmdline") ?? Data()).split(separator: 0)
            return words.map { String(decoding: $0, as: UTF8.self) }.dropFirst() == ["-c", file]
        }
    }
}
