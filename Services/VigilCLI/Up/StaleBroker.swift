import Foundation
import ServiceKit

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
