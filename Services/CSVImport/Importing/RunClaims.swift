import Synchronization
import VigilSchema

/// The times for which the files of one run have values under an unnamed source.
///
/// Two such files may be of two sensors: `chest.csv` and `wrist.csv` with a heart rate each. Their readings would have
/// the same identity and replace each other. So the second, different value of a time is refused. A file of the run
/// that was imported before counts too, and is read again if another file is new. Files of earlier runs do not count,
/// because a corrected file may replace its readings.
///
/// Threading: callable from any task.
package final class RunClaims: Sendable {
    /// The most readings in memory, some 100 MB; later ones are not compared.
    private static let most = 4_000_000

    private struct Claim {
        let file: Int32
        let content: Int32
    }

    private struct State {
        var files: [(name: String, isKnown: Bool)] = []
        /// Reads files that were imported before, for their values.
        var unread: [@Sendable (RunClaims) throws -> Void] = []
        /// By a 64-bit hash of their identities.
        var claims: [Int: Claim] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// The claims of one more file.
    /// - Parameter isKnown: Whether it was imported before.
    func file(_ name: String, isKnown: Bool = false) -> FileClaims {
        state.withLock { state in
            state.files.append((name, isKnown))
            return FileClaims(run: self, number: Int32(state.files.count - 1))
        }
    }

    /// Notes a file that was imported before.
    /// - Parameter read: reads it with its claims, once there is a new file.
    func add(known read: @escaping @Sendable (RunClaims) throws -> Void) { state.withLock { $0.unread.append(read) } }

    /// Reads the files that were imported before.
    func readKnown() throws {
        while hasRoomForKnown, let read = state.withLock({ $0.unread.popLast() }) { try read(self) }
    }

    /// The name of another file with a different value; nil: none.
    fileprivate func contradiction(_ identity: Int, _ content: Int32, _ number: Int32) -> String? {
        state.withLock { state in
            if let known = state.claims[identity] {
                let (other, own) = (state.files[Int(known.file)], state.files[Int(number)])
                // Two files that were imported before have been compared already.
                return known.file == number || known.content == content || (other.isKnown && own.isKnown) ? nil : other.name
            }
            if state.claims.count < RunClaims.most { state.claims[identity] = Claim(file: number, content: content) }
            return nil
        }
    }

    /// Whether files that were imported before fill their half of the memory.
    var hasRoomForKnown: Bool { state.withLock { $0.claims.count < RunClaims.most / 2 } }

    /// Whether there were more readings than fit.
    fileprivate var isFull: Bool { state.withLock { $0.claims.count >= RunClaims.most } }
}

/// The claims of one file.
struct FileClaims: Sendable {
    fileprivate let run: RunClaims
    fileprivate let number: Int32

    /// The remark if not all readings could be compared.
    var note: String? {
        run.isFull ? "the files have too many readings to be compared with one another; --source tells sensors apart" : nil
    }

    /// The reason for refusing a reading; nil: it is the first of its identity, or has the same value.
    func objection(_ reading: AcceptedCell, _ subject: Subjects.Subject, _ metric: MetricPlan, text: String?) -> String? {
        var identity = Hasher()
        identity.combine(subject.participant)
        identity.combine(subject.source)
        identity.combine(metric.name)
        identity.combine(reading.time)
        identity.combine(reading.sequence)
        identity.combine(reading.interval)
        var content = Hasher()
        content.combine(reading.value)
        content.combine(text)
        let hash = Int32(truncatingIfNeeded: content.finalize())
        guard let other = run.contradiction(identity.finalize(), hash, number) else { return nil }
        let name = other.split { $0 == "/" || $0 == "!" }.last ?? ""
        return "\(name) has another value of the same moment, and neither file names its sensor: import them apart, each with its --source"
    }
}
