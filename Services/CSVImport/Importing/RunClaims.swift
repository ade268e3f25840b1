import Synchronization
import VigilSchema

/// The moments of which the files of one run have told something under a source that nobody has named.
///
/// Two such files may be of two sensors: `chest.csv` and `wrist.csv` with a heart rate each. Their readings would have one identity, and one would take
/// the other's place. So the second value of a moment is refused; the same value once more is none. Files of runs before are no matter here: a
/// corrected file may replace what it has brought.
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
        var files: [String] = []
        /// By the hash of their identities, of 64 bits.
        var claims: [Int: Claim] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// The claims of one more file.
    func file(_ name: String) -> FileClaims {
        state.withLock { state in
            state.files.append(name)
            return FileClaims(run: self, number: Int32(state.files.count - 1))
        }
    }

    /// The name of another file that has said something else of the same; nil where none has.
    fileprivate func contradiction(_ identity: Int, _ content: Int32, _ number: Int32) -> String? {
        state.withLock { state in
            if let known = state.claims[identity] {
                return known.file == number || known.content == content ? nil : state.files[Int(known.file)]
            }
            if state.claims.count < RunClaims.most { state.claims[identity] = Claim(file: number, content: content) }
            return nil
        }
    }

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
