/// What is to be published, what is in flight, and who waits for it. A value without I/O.
///
/// Every accepted message leaves it once: acknowledged, refused, cancelled or cut off by the end. Tickets grow in the order of
/// acceptance, and that order is kept when a lost connection puts messages back.
struct PublishQueue<Waiter> {
    typealias Ticket = UInt64

    struct Work {
        let ticket: Ticket
        let message: OutgoingMessage
    }

    typealias Outcome = (waiter: Waiter, result: Result<Void, BusError>)

    private struct Entry {
        let message: OutgoingMessage
        let waiter: Waiter
    }

    private enum Mode {
        case running, draining
        case finished(BusError)
    }

    private var mode = Mode.running
    private var entries: [Ticket: Entry] = [:]
    private var pending = FIFO<Ticket>()
    /// Handed to the connection and not acknowledged, by packet identifier, also when nobody waits any more.
    private var inFlight: [Int32: Ticket] = [:]
    private var capacity: Int
    private let maximum: Int
    private(set) var counters = PublisherCounters()

    /// - Parameter capacity: The most messages in flight.
    init(capacity: Int) {
        maximum = max(capacity, 1)
        self.capacity = maximum
    }

    /// What a closed queue answers; nil while it takes messages.
    var refusal: BusError? {
        switch mode {
        case .running: nil
        case .draining: BusError(.closed, during: .publish, detail: "draining")
        case .finished(let error): error
        }
    }

    /// Takes a message under a ticket that the caller has made, higher than every earlier one's.
    mutating func enqueue(_ message: OutgoingMessage, ticket: Ticket, waiter: Waiter) {
        counters.accepted += 1
        entries[ticket] = Entry(message: message, waiter: waiter)
        pending.append(ticket)
    }

    /// The broker allows so many unacknowledged messages.
    mutating func limit(to receiveMaximum: UInt16) {
        capacity = min(maximum, max(Int(receiveMaximum), 1))
    }

    /// What may be sent now, at most as much as there is room for in flight.
    mutating func take() -> [Work] {
        var work: [Work] = []
        let room = capacity - inFlight.count
        while work.count < room, let ticket = pending.popFirst() {
            if let entry = entries[ticket] { work.append(Work(ticket: ticket, message: entry.message)) }
        }
        return work
    }

    /// The connection has a message, under its packet identifier.
    mutating func sent(_ ticket: Ticket, packet: Int32) {
        inFlight[packet] = ticket
    }

    /// The connection could not take messages: they go back to the front.
    mutating func putBack(_ work: [Work]) {
        pending.prepend(work.map(\.ticket))
    }

    /// The broker has answered, with a reason code of MQTT 5 (0 from MQTT 3.1.1 and for QoS 0).
    mutating func answered(packet: Int32, reason: UInt8) -> Outcome? {
        guard let ticket = inFlight.removeValue(forKey: packet), let entry = entries.removeValue(forKey: ticket) else { return nil }
        guard reason >= ReasonCode.firstFailure else {
            counters.delivered += 1
            return (entry.waiter, .success(()))
        }
        counters.failed += 1
        return (entry.waiter, .failure(BusError(ReasonCode.errorCode(reason), during: .publish, reason: reason)))
    }

    /// A message that can never be sent.
    mutating func fail(_ ticket: Ticket, _ error: BusError) -> Outcome? {
        guard let entry = entries.removeValue(forKey: ticket) else { return nil }
        counters.failed += 1
        return (entry.waiter, .failure(error))
    }

    /// The connection is gone: what was in flight is sent again, in the order in which it was accepted.
    mutating func connectionLost() {
        let again = inFlight.values.filter { entries[$0] != nil }.sorted()
        counters.repeated += again.count
        pending.prepend(again)
        inFlight = [:]
    }

    mutating func noteReconnects(_ count: Int) {
        counters.reconnects = count
    }

    /// Takes nothing new.
    mutating func drain() {
        if case .running = mode { mode = .draining }
    }

    /// Whether nothing is left to do.
    var isOver: Bool {
        switch mode {
        case .running: false
        case .draining: entries.isEmpty
        case .finished: true
        }
    }

    /// Ends: everyone who waits gets the error, as everyone who comes later does.
    mutating func finish(_ error: BusError) -> [Outcome] {
        if case .finished = mode { return [] }
        mode = .finished(error)
        defer { entries = [:] }
        counters.failed += entries.count
        return entries.values.map { ($0.waiter, .failure(error)) }
    }
}
