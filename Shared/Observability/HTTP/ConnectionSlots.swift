/// The open connections, and the choice of the one that makes way when there are too many. A value, without I/O.
///
/// A connection is protected only while its request is being answered or while it is a stream. Whoever sends a request slowly, or takes
/// an answer slowly, waits: of the address that has most connections the one that has waited longest goes first, so slow clients never keep a quick one
/// out, nor one address another.
struct ConnectionSlots {
    /// The identity of an open connection.
    typealias ID = UInt

    private enum Phase {
        /// For a request, for the rest of one, or until its answer is taken; since this turn.
        case waiting(since: UInt64)
        case answering
        case streaming
    }

    private let limit: Int
    private let streamLimit: Int
    private var turn: UInt64 = 0
    private var phases: [ID: Phase] = [:]
    private var addresses: [ID: String] = [:]
    /// The number of connections by address.
    private var counts: [String: Int] = [:]
    private var streams = 0

    /// - Parameters:
    ///   - limit: the number of connections at once.
    ///   - streams: the number of those that may be streams.
    init(limit: Int, streams: Int) {
        self.limit = limit
        streamLimit = streams
    }

    /// The number of open connections.
    var count: Int { phases.count }

    /// Takes a new connection; returns the one to be closed for it, which is the new one itself where all others are at work.
    mutating func opened(_ id: ID, from address: String = "") -> ID? {
        let oldest = phases.count < limit ? nil : longestWaiting
        let isFull = phases.count >= limit
        wait(id)
        addresses[id] = address
        counts[address, default: 0] += 1
        guard isFull else { return nil }
        // What is to be closed counts no more, so that the next new connection ends another.
        let leaving = oldest ?? id
        phases[leaving] = nil
        forget(leaving)
        return leaving
    }

    /// The request is complete and handed out.
    mutating func answering(_ id: ID) { if phases[id] != nil { phases[id] = .answering } }

    /// A stream begins; false where there are too many.
    mutating func streaming(_ id: ID) -> Bool {
        guard phases[id] != nil else { return true }
        guard streams < streamLimit else { return false }
        phases[id] = .streaming
        streams += 1
        return true
    }

    /// The answer is there to be taken, or was taken: the connection waits again.
    mutating func waits(_ id: ID) {
        guard let phase = phases[id] else { return }
        if case .streaming = phase { streams -= 1 }
        wait(id)
    }

    /// The connection is closed.
    mutating func closed(_ id: ID) {
        if case .streaming? = phases.removeValue(forKey: id) { streams -= 1 }
        forget(id)
    }

    private mutating func forget(_ id: ID) {
        guard let address = addresses.removeValue(forKey: id) else { return }
        let left = counts[address, default: 1] - 1
        counts[address] = left > 0 ? left : nil
    }

    private mutating func wait(_ id: ID) {
        turn += 1
        phases[id] = .waiting(since: turn)
    }

    private var longestWaiting: ID? {
        var oldest: (id: ID, since: UInt64, crowd: Int)?
        for (id, phase) in phases {
            guard case .waiting(let since) = phase else { continue }
            let crowd = addresses[id].flatMap { counts[$0] } ?? 0
            if let known = oldest, (known.crowd, since) > (crowd, known.since) { continue }
            oldest = (id, since, crowd)
        }
        return oldest?.id
    }
}
