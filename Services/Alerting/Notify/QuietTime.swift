import Foundation
import HTTPClient
import Synchronization

/// The times for which servers have asked to be left alone, by address or name. Threading: callable from any task.
final class QuietTime: Sendable {
    /// The longest pause that a server can ask for: a wrong answer must not silence it for long.
    static let longest = Duration.seconds(300)
    private let ends = Mutex<[String: ContinuousClock.Instant]>([:])

    /// - Parameter name: how an error calls it.
    /// - Throws: with the time that is left, where the server is to be left alone.
    func check(_ server: String, named name: String) throws(ChannelError) {
        guard let end = ends.withLock({ $0[server] }), end > .now else { return }
        var error = ChannelError("\(name) has asked for a pause")
        error.pause = end - .now
        error.isPostponed = true
        throw error
    }

    /// Notes a refusal's pause.
    func note(_ error: ChannelError, of server: String) {
        guard let pause = error.pause else { return }
        ends.withLock { ends in
            ends = ends.filter { $0.value > .now }
            ends[server] = max(ends[server] ?? .now, .now + pause)
        }
    }

    /// The pause that an answer asks for.
    static func pause(_ answer: HTTPClientResponse) -> Duration? {
        answer.headers["Retry-After"].flatMap { RetryAfter.pause($0, now: Date(), longest: longest) }.flatMap { $0 > .zero ? $0 : nil }
    }
}
