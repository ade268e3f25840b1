import Synchronization
import VigilSchema

/// The moments of which the files of one run have told something under a source that nobody has named.
///
/// Two such files may be of two sensors: `chest.csv` and `wrist.csv` with a heart rate each. Their readings would have one identity, and one would take
/// the other's place. So the second value of a moment is refused; the same value once more is none. A file of the run that is in already counts too,
/// and is read again for it where another is new. Other files of runs before are no matter here: a corrected file may replace what it has brought.
///
/// Threading: may be called from anywhere.
package final class RunClaims: Sendable {
    /// Readings that are remembered, some 100 MB: whatever comes after them is not compared.
    private static let most = 4_000_000

    private struct Claim {
        let file: Int32
        let content: Int32
    }

    private struct State {
        var files: [(name: String, isKnown: Bool)] = []
        /// Reads files that are in already, for what they say.
        var unread: [@Sendable (RunClaims) throws -> Void] = []
        /// By the hash of their identities, of 64 bits.
        var claims: [Int: Claim] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// The claims of one more file.
    /// - Parameter isKnown: It is in already.
    func file(_ name: String, isKnown: Bool = false) -> FileClaims {
        state.withLock { state in
            state.files.append((name, isKnown))
            return FileClaims(run: self, number: Int32(state.files.count - 1))
        }
    }

    /// Notes a file that is in already.
    /// - Parameter read: reads it with its claims, once a file is that is not.
    func add(known read: @escaping @Sendable (RunClaims) throws -> Void) { state.withLock { $0.unread.append(read) } }

    /// Reads the files that are in already.
    func readKnown() throws {
        while hasRoomForKnown, let read = state.withLock({ $0.unread.popLast() }) { try read(self) }
    }

    /// The name of another file that has said something else of the same; nil where none has.
    fileprivate func contradiction(_ identity: Int, _ content: Int32, _ number: Int32) -> String? {
        state.withLock { state in
            if let known = state.claims[identity] {
                let (other, own) = (state.files[Int(known.file)], state.files[Int(number)])
                // Of two that are in, each was asked about when it came.
                return known.file == number || known.content == content || (other.isKnown && own.isKnown) ? nil : other.name
            }
            if state.claims.count < RunClaims.most { state.claims[identity] = Claim(file: number, content: content) }
            return nil
        }
    }

    /// A Boolean value that indicates whether more is remembered of files that are in already: half of all is for new ones.
    var hasRoomForKnown: Bool { state.withLock { $0.claims.count < RunClaims.most / 2 } }

    /// A Boolean value that indicates whether there were more readings than are remembered.
    fileprivate var isFull: Bool { state.withLock { $0.claims.count >= RunClaims.most } }
}

/// The part of one file in a run's claims.
struct FileClaims: Sendable {
    fileprivate let run: RunClaims
    fileprivate let number: Int32

    /// The remark for where not all could be compared.
    var note: String? {
        run.isFull ? "the files have too many readings to be compared with one another; --source tells sensors apart" : nil
    }

    /// The reason why a reading is refused; nil where it is the first of its identity, or says the same.
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
