import Access
import AlertRules
import Observability
import Synchronization

/// The store of one alert core: the journal of the engine's inputs, checkpoints of its state, and the event log.
///
/// The event log holds each transition once, as JSON. Three readers follow it, each with a cursor of its own: the outbox publishes it, each
/// notifier tells it, and history shows it.
///
/// Guarantees: a `commit` is whole or not at all, and commits become durable in their order. Where `commits` is nil one is durable when it returns;
/// otherwise it is queued there, and nothing that it led to may leave before the queue has confirmed it. Threading: belongs to its core.
protocol AlertStore: AnyObject {
    /// The commits that are not durable yet; nil for a store that has none.
    var commits: CommitQueue? { get }

    // MARK: - What a core is rebuilt from

    func rules() throws -> [RuleFile]
    func meta(_ name: String) throws -> [UInt8]?
    /// Returns whether these rules were in force once, and others came in their place.
    func hasReplaced(_ rules: [RuleFile]) -> Bool
    /// Gives out every participant's stored state, one at a time.
    func eachParticipant(_ body: (StoredParticipant) throws -> Void) throws
    /// Gives out the records of the journal in order, one at a time.
    func eachRecord(_ body: ([UInt8]) throws -> Void) throws
    /// Notes that the core has been built from it.
    func hasLoaded()

    // MARK: - What a core stores

    /// Notes what went into the engine and what came out; returns the entries with their numbers.
    /// - Parameters:
    ///   - reached: the number up to which the broker has everything; 0: no news of it.
    ///   - checkpoint: the state after it, which replaces the journal.
    func commit(_ record: JournalRecord, _ entries: [AlertEntry], published reached: Int64, checkpoint: AlertCheckpoint?) throws
        -> [AlertEntry]
    /// Notes how the machine's clock and the engine's belong together.
    func keep(time: [UInt8]) throws
    /// Removes a participant's transitions, scores that wait to be published, and what notifiers keep.
    func erase(participant: String) throws -> Erasure

    // MARK: - The event log

    /// The entries that the broker may not have, in order.
    func unpublished() throws -> [AlertEntry]
    /// The newest transition of every alert that is there.
    func present() throws -> [AlertEntry]
    /// The number of the newest entry; 0 without any.
    func lastEntry() throws -> Int64
    /// The transitions after a number that are durable, in order.
    func transitions(after id: Int64, limit: Int) async throws -> [AlertEntry]
    /// Transitions by their numbers; those that the log no longer holds are left out.
    func transitions(_ ids: [Int64]) async throws -> [Int64: AlertEntry]
    /// Reads transitions for those who ask, beside the core's work.
    var history: any AlertHistory { get }
    /// A participant's transitions, scores that wait to be published, and what notifiers keep.
    func personalData(of participant: String) async throws -> PersonalData

    // MARK: - Notifiers

    /// A notifier's cursor; nil for one that is new.
    func cursor(of notifier: String) throws -> Int64?
    /// A notifier's groups.
    func groups(of notifier: String) throws -> [(name: String, state: [UInt8])]
    /// Stores a notifier's cursor and the groups that have changed; one without a state is removed.
    func keep(notifier: String, coveredTo id: Int64, _ groups: [(name: String, state: [UInt8]?)]) throws
}

extension AlertStore {
    var commits: CommitQueue? { nil }
    func hasLoaded() {}

    /// Nobody but its one process has the folder's rules: they are what is wanted.
    func hasReplaced(_ rules: [RuleFile]) -> Bool { false }

    func commit(_ record: JournalRecord, _ entries: [AlertEntry], published reached: Int64) throws -> [AlertEntry] {
        try commit(record, entries, published: reached, checkpoint: nil)
    }
}

/// An entry of the event log.
struct AlertEntry: Sendable, Hashable {
    /// The messages published of an entry.
    enum Kind: Int64, Sendable {
        /// A transition, and as the retained state the alert after it.
        case transition = 0
        /// A transition after which there is no alert: the retained state is removed.
        case end = 1
        /// A message of its own.
        case message = 2
        /// A message of its own that the broker retains.
        case retained = 3

        /// A Boolean value that indicates whether it is an alert's transition.
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

/// A participant's state as it is stored; without a name: a place that has become free.
struct StoredParticipant: Sendable {
    let place: Int
    let name: String
    let state: [UInt8]
}

/// The engine's state, which stands in for the journal that led to it.
struct AlertCheckpoint {
    /// The places of the participants that have changed, and the state of each: one at a time, as together they may be large.
    let changed: [Int]
    let participant: (Int) -> StoredParticipant
    let clock: [UInt8]
    let batches: [UInt8]
    let rules: [RuleFile]
}

/// An erasure that was asked for, and once it is durable what it removed.
final class Erasure: Sendable {
    /// The rows that it removed.
    struct Removed: Sendable, Hashable {
        /// The rules of which there were transitions, and whose alerts may be retained.
        var rules: [String] = []
        var events = 0
        var groups = 0
    }

    private let state: Mutex<Removed?>
    /// The rules whose alerts were there, for an erasure whose own account was lost.
    private let knownRules: [String]

    init(_ removed: Removed) {
        state = Mutex(removed)
        knownRules = removed.rules
    }

    /// - Parameter knownRules: the rules whose alerts are there.
    init(knownRules: [String]) {
        state = Mutex(nil)
        self.knownRules = knownRules
    }

    /// To be asked once it is durable.
    var removed: Removed { state.withLock { $0 } ?? Removed(rules: knownRules) }

    func finish(_ removed: Removed) { state.withLock { $0 = removed } }
}
