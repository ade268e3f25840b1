import Dispatch
import Foundation
import Observability
import Synchronization

/// The process's stop signals as something to wait for.
///
/// The default action of each signal is switched off while this lives; a second signal while the first is being handled
/// ends the process at once, so that nobody needs `kill -9`.
package final class StopSignals: Sendable {
    /// SIGTERM and SIGINT.
    package static let usual: [Int32] = [SIGTERM, SIGINT]

    private let signals: [Int32]
    private let sources = Mutex<[any DispatchSourceSignal]>([])
    private let received = Mutex<Int32?>(nil)
    private let latch = Latch()

    package init(_ signals: [Int32]) {
        self.signals = signals
        for number in signals { signal(number, SIG_IGN) }
        sources.withLock { sources in
            sources = signals.map { number in
                let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
                source.setEventHandler { [weak self] in self?.receive(number) }
                source.resume()
                return source
            }
        }
    }

    /// The first signal that came; nil when the task was cancelled before one came.
    package func first() async -> Int32? {
        await latch.wait()
        return received.withLock { $0 }
    }

    /// Gives the signals their default actions back.
    package func restore() {
        sources.withLock { sources in
            for source in sources { source.cancel() }
            sources = []
        }
        for number in signals { signal(number, SIG_DFL) }
    }

    private func receive(_ number: Int32) {
        let isFirst = received.withLock { received in
            defer { received = received ?? number }
            return received == nil
        }
        guard isFirst else { exit(128 + number) }
        latch.open()
    }
}

/// SIGHUP as a reason to read files again.
package enum ReloadSignals {
    /// One element for any number of signals that came since the last. The handler lives as long as the process.
    package static func stream() -> AsyncStream<Void> {
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

/// Returns when standard input ends, which for a child of `vigil up` is when its parent ends, however that ends.
struct ParentWatcher: Service {
    func run() async throws {
        let ended = Latch()
        // It waits until the input or the process ends. Not a dispatch source: on Linux one that is cancelled when its pipe has just
        // ended may crash the process.
        Thread.detachNewThread {
            while !FileHandle.standardInput.availableData.isEmpty {}
            ended.open()
        }
        await ended.wait()
    }
}
