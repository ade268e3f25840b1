import Dispatch
import Glibc
import ServiceKit
import Synchronization

/// Reads the rules again on SIGHUP. Rules that are wrong are told and left: the former stay in force.
struct RuleReloader: Service {
    let turn: AlertTurn
    let path: String
    let log: Logger

    func run() async throws {
        for await _ in Self.hangups() {
            do {
                let files = try RuleFolder.read(path)
                try await turn.reload(files)
                log.notice("rules read again", ["files": "\(files.count)"])
            } catch let error as RuleError {
                log.error("rules are wrong; the former stay in force", ["problems": error.description])
            } catch let error as ServiceKit.CommandError {
                log.error("rules cannot be read; the former stay in force", ["error": error.description])
            }
        }
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
