import FaultInjection
import Foundation

do {
    let words = Array(CommandLine.arguments.dropFirst())
    let kept = words.first == "spool" ? try await SpoolRequest(Array(words.dropFirst())).run() : try await FaultRequest(words).run()
    exit(kept ? 0 : 1)
} catch {
    FileHandle.standardError.write(Data("faults: \(error)\n".utf8))
    exit(64)
}
