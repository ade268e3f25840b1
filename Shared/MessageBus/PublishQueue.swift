/// The messages to be published, what is in flight, and who waits for it. A value without I/O.
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
        /// It was in flight on a connection that broke, and may be what broke it.
        var isSuspect = false
    }

    private enum Mode {
        case running, draining
        case finished(BusError)
    }

    private var mode = Mode.running
    private var entries: [Ticket: Entry] = [:]
    private var pending = FIFO<Ticket>()
    /// Expendable messages that were in flight when a connection broke: sent one at a time, so that the one to blame is found.
    private var suspects = FIFO<Ticket>()
    private var suspectInFlight: Ticket?
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

    /// The error of a closed queue; nil while it takes messages.
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

    /// The messages that may be sent now, at most as much as there is room for in flight.
    mutating func take() -> [Work] {
        var work: [Work] = []
        let room = capacity - inFlight.count
        if room > 0, let suspect = takeSuspect() { work.append(suspect) }
        while work.count < room, let ticket = pending.popFirst() {
            if let entry = entries[ticket] { work.append(Work(ticket: ticket, message: entry.message)) }
        }
        return work
    }

    private mutating func takeSuspect() -> Work? {
        while suspectInFlight == nil, let ticket = suspects.popFirst() {
            guard let entry = entries[ticket] else { continue }
            suspectInFlight = ticket
            return Work(ticket: ticket, message: entry.message)
        }
        return nil
    }

    /// The connection has a message, under its packet identifier.
    mutating func sent(_ ticket: Ticket, packet: Int32) {
        inFlight[packet] = ticket
    }

    /// The connection could not take messages: they go back to the front.
    mutating func putBack(_ work: [Work]) {
        pending.prepend(work.map(\.ticket).filter { $0 != suspectInFlight })
        if let suspect = suspectInFlight, work.contains(where: { $0.ticket == suspect }) {
            suspects.prepend([suspect])
            suspectInFlight = nil
        }
    }

    /// The broker has answered, with a reason code of MQTT 5 (0 from MQTT 3.1.1 and for QoS 0).
    mutating func answered(packet: Int32, reason: UInt8) -> Outcome? {
        guard let ticket = inFlight.removeValue(forKey: packet) else { return nil }
        if ticket == suspectInFlight { suspectInFlight = nil }
        guard let entry = entries.removeValue(forKey: ticket) else { return nil }
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

    /// The connection is gone: what was in flight is sent again, in the order in which it was accepted. An expendable message that was in
    /// flight for the second time in a row is given up.
    mutating func connectionLost() -> [Outcome] {
        let again = inFlight.values.filter { entries[$0] != nil }.sorted()
        var outcomes: [Outcome] = [], ordinary: [Ticket] = []
        for ticket in again {
            guard var entry = entries[ticket], entry.message.isExpendable else {
                ordinary.append(ticket)
                continue
            }
            if entry.isSuspect {
                outcomes += [fail(ticket, Self.twiceLost)].compactMap(\.self)
            } else {
                entry.isSuspect = true
                entries[ticket] = entry
                suspects.append(ticket)
            }
        }
        counters.repeated += again.count - outcomes.count
        pending.prepend(ordinary)
        inFlight = [:]
        suspectInFlight = nil
        return outcomes
    }

    private static var twiceLost: BusError {
        BusError(.connectionLost, during: .publish, detail: "it was in flight on two connections in a row that broke")
    }

    mutating func noteReconnects(_ count: Int) {
        counters.reconnects = count
    }

    /// Takes nothing new.
    mutating func drain() {
        if case .running = mode { mode = .draining }
    }

    /// A Boolean value that indicates whether nothing is left to do.
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

/// A queue over an array: appending and taking cost the same however long it is.
struct FIFO<Element> {
    private var elements: [Element?] = []
    private var start = 0

    var isEmpty: Bool { start == elements.count }

    mutating func append(_ element: Element) {
        elements.append(element)
    }

    /// Puts elements before all others, keeping their order.
    mutating func prepend(_ first: [Element]) {
        elements = first + elements[start...]
        start = 0
    }

    mutating func popFirst() -> Element? {
        guard start < elements.count else { return nil }
        defer { advance() }
        return elements[start]
    }

    private mutating func advance() {
        elements[start] = nil
        start += 1
        if start == elements.count {
            elements.removeAll(keepingCapacity: start <= 4_096)
            start = 0
        } else if start >= 1_024, start * 2 >= elements.count {
            elements.removeFirst(start)
            start = 0
        }
    }
}
