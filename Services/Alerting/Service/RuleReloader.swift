import Dispatch
import Glibc
import ServiceKit
import Synchronization

/// Reads the rules again on SIGHUP.
struct RuleReloader: Service {
    let turn: AlertCoordinator

    func run() async throws {
        // What is wrong with them is logged there.
        for await _ in Self.hangups() { _ = try await turn.reload() }
    }

    /// One element for any number of signals that came since the last. The handler lives as long as the process.
    private static func hangups() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        signal(SIGHUP, SIG_IGN)
        sources.withLock { sources in
            let source = DispatchSource.makeSignalSource(signal: SIGHUP, queue: .global())
            source.setEventHandler { continuation.yield() }
            source.resume()
            sources.append(source)
        }
        return stream
    }

    private static let sources = Mutex<[any DispatchSourceSignal]>([])
}
