import Access
import AlertRules
import Observability
import Synchronization

/// The store of one alert core: the journal of the engine's inputs, checkpoints of its state, and the event log.
///
/// The event log has each transition once, as JSON. Three readers follow it, each with its own cursor: the outbox
/// publishes it, each notifier sends it, and history shows it.
///
/// Guarantees: a `commit` is atomic, and commits become durable in order. If `commits` is nil, a commit is durable when
/// it returns; otherwise it is queued, and its output must not leave before the queue has confirmed it. Threading:
/// belongs to its core.
protocol AlertStore: AnyObject {
    /// The commits that are not durable yet; nil for a store without a queue.
    var commits: CommitQueue? { get }

    // MARK: - What a core is rebuilt from

    func rules() throws -> [RuleFile]
    func meta(_ name: String) throws -> [UInt8]?
    /// Returns whether these rules were in force and have been replaced.
    func hasReplaced(_ rules: [RuleFile]) -> Bool
    /// Yields every participant's stored state, one at a time.
    func eachParticipant(_ body: (StoredParticipant) throws -> Void) throws
    /// Yields the records of the journal in order, one at a time.
    func eachRecord(_ body: ([UInt8]) throws -> Void) throws
    /// Notes that the core has been loaded.
    func hasLoaded()

    // MARK: - What a core stores

    /// Stores the engine's inputs and outputs; returns the entries with their numbers.
    /// - Parameters:
    ///   - reached: the number up to which the broker has everything; 0: unchanged.
    ///   - checkpoint: the state afterwards, which replaces the journal.
    func commit(_ record: JournalRecord, _ entries: [AlertEntry], published reached: Int64, checkpoint: AlertCheckpoint?) throws
        -> [AlertEntry]
    /// Notes corresponding times of the machine and the engine.
    func keep(time: [UInt8]) throws
    /// Removes a participant's transitions, pending scores, and notifiers' state.
    func erase(participant: String) throws -> Erasure

    // MARK: - The event log

    /// The entries that the broker may not have, in order.
    func unpublished() throws -> [AlertEntry]
    /// The newest transition of every present alert.
    func present() throws -> [AlertEntry]
    /// The number of the newest entry; 0: none.
    func lastEntry() throws -> Int64
    /// The durable transitions after a number, in order.
    func transitions(after id: Int64, limit: Int) async throws -> [AlertEntry]
    /// Transitions by their numbers, without those that the log no longer has.
    func transitions(_ ids: [Int64]) async throws -> [Int64: AlertEntry]
    /// Reads transitions for queries, in parallel with the core.
    var history: any AlertHistory { get }
    /// A participant's transitions, pending scores, and notifiers' state.
    func personalData(of participant: String) async throws -> PersonalData

    // MARK: - Notifiers

    /// A notifier's cursor; nil for a new one.
    func cursor(of notifier: String) throws -> Int64?
    /// A notifier's groups.
    func groups(of notifier: String) throws -> [(name: String, state: [UInt8])]
    /// Stores a notifier's cursor and the changed groups; one without a state is removed.
    func keep(notifier: String, coveredTo id: Int64, _ groups: [(name: String, state: [UInt8]?)]) throws
}

extension AlertStore {
    var commits: CommitQueue? { nil }
    func hasLoaded() {}

    /// The folder belongs to this one process, so its rules are always adopted.
    func hasReplaced(_ rules: [RuleFile]) -> Bool { false }

    func commit(_ record: JournalRecord, _ entries: [AlertEntry], published reached: Int64) throws -> [AlertEntry] {
        try commit(record, entries, published: reached, checkpoint: nil)
    }
}

/// An entry of the event log.
struct AlertEntry: Sendable, Hashable {
    /// The messages of an entry.
    enum Kind: Int64, Sendable {
        /// A transition, and the alert after it as the retained state.
        case transition = 0
        /// A transition without an alert after it: the retained state is removed.
        case end = 1
        /// A message of its own.
        case message = 2
        /// A retained message of its own.
        case retained = 3

        /// Whether it is an alert's transition.
        var isTransition: Bool { rawValue < Kind.message.rawValue }
    }

    var id: Int64 = 0
    var kind: Kind
    var participant = ""
    var rule = ""
    /// The topic of a message of its own.
    var topic = ""
    var content: [UInt8]
}

/// A participant's stored state; without a name: a free index.
struct StoredParticipant: Sendable {
    let index: Int
    let name: String
    let state: [UInt8]
}

/// The engine's state, which replaces the journal.
struct AlertCheckpoint {
    /// The indices of the changed participants, and the state of each, one at a time, because together they may be
    /// large.
    let changed: [Int]
    let participant: (Int) -> StoredParticipant
    let clock: [UInt8]
    let batches: [UInt8]
    let rules: [RuleFile]
}

/// A requested erasure and, once it is durable, what it removed.
final class Erasure: Sendable {
    /// The removed rows.
    struct Removed: Sendable, Hashable {
        /// The rules with transitions, whose alerts may be retained.
        var rules: [String] = []
        var events = 0
        var groups = 0
    }

    private let state: Mutex<Removed?>
    /// The rules of present alerts, for an erasure whose own account was lost.
    private let knownRules: [String]

    init(_ removed: Removed) {
        state = Mutex(removed)
        knownRules = removed.rules
    }

    /// - Parameter knownRules: the rules of present alerts.
    init(knownRules: [String]) {
        state = Mutex(nil)
        self.knownRules = knownRules
    }

    /// To be read once it is durable.
    var removed: Removed { state.withLock { $0 } ?? Removed(rules: knownRules) }

    func finish(_ removed: Removed) { state.withLock { $0 = removed } }
}
