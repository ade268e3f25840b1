import Dispatch
import Foundation

/// Returns when standard input ends, which for a child of `vigil up` is when its parent ends, however that ends.
struct EndOfInput: Service {
    func run() async throws {
        let ended = Latch()
        let source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .global())
        source.setEventHandler { if FileHandle.standardInput.availableData.isEmpty { ended.open() } }
        source.resume()
        defer { source.cancel() }
        await ended.wait()
    }
}
