import FaultInjection
import Foundation

do {
    let request = try FaultRequest(Array(CommandLine.arguments.dropFirst()))
    exit(await request.run() ? 0 : 1)
} catch {
    FileHandle.standardError.write(Data("faults: \(error)\n".utf8))
    exit(64)
}
