import FaultInjection
import Foundation

do {
    let words = Array(CommandLine.arguments.dropFirst())
    let kept = words.first == "spool" ? await try SpoolRequest(Array(words.dropFirst())).run() : await try FaultRequest(words).run()
    exit(kept ? 0 : 1)
} catch {
    FileHandle.standardError.write(Data("faults: \(error)\n".utf8))
    exit(64)
}
