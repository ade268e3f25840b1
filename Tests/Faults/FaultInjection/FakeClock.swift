import Foundation
import TestSupport

/// A wall clock of a process's own, by the library that deploy/faults builds of Tests/Faults/Clock.
struct FakeClock: Sendable {
    /// The library's path; nil where it was not built.
    private static let library = ProcessInfo.processInfo.environment["FAULT_CLOCK_LIBRARY"].flatMap {
        FileManager.default.fileExists(atPath: $0) ? $0 : nil
    }
    /// Indicates whether clocks can be set wrong here.
    static var isAvailable: Bool { library != nil }
    private let file: String

    /// A right clock.
    init(_ service: String, in folder: TemporaryFolder) throws {
        file = folder.path("clock-\(service)")
        try Data(count: 8).write(to: URL(filePath: file))
    }

    /// The variables that the process must be started with.
    var environment: [String: String] { ["LD_PRELOAD": Self.library ?? "", "FAULT_CLOCK": file] }

    /// Sets it so many seconds ahead of the right time, for the running process too.
    func set(_ seconds: Int) throws {
        // In place, because the process has the file mapped.
        let handle = try FileHandle(forWritingTo: URL(filePath: file))
        defer { try? handle.close() }
        try handle.write(contentsOf: withUnsafeBytes(of: Int64(seconds) * 1_000_000_000) { Data($0) })
    }
}
