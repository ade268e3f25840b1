/// The states of all participants by place: spread out for those who were asked for lately, and bytes for the others, a tenth of the memory.
///
/// A place is empty until a state is put there. A state must be spread out before it is looked at or changed by subscript.
struct ParticipantTable: Sendable {
    private struct Slot {
        /// The state while it is packed.
        var bytes: [UInt8]?
        /// The clock of its next timer while it is packed.
        var booked = Int64.max
        /// The place among `spread`; −1 while it is packed or empty.
        var spread: Int32 = -1
        /// It stands in the queue, once.
        var isQueued = false
    }

    private var slots: [Slot] = []
    private var spread: [ParticipantState] = []
    /// The places in `spread` that hold nobody.
    private var unused: [Int32] = []
    /// The participants who are spread out, in the order in which they are considered for packing; what stands before `head` is done.
    private var queue: [Int32] = []
    private var head = 0

    var indices: Range<Int> { slots.indices }
    var count: Int { slots.count }
    /// The number of states that are spread out.
    var spreadCount: Int { spread.count - unused.count }

    /// The state of a participant that is spread out.
    subscript(index: Int) -> ParticipantState {
        get { spread[Int(slots[index].spread)] }
        _modify { yield &spread[Int(slots[index].spread)] }
    }

    func isSpread(_ index: Int) -> Bool { slots[index].spread >= 0 }

    /// The bytes of a participant that is packed; nil where it is spread out or the place is empty.
    func bytes(_ index: Int) -> [UInt8]? { slots[index].bytes }

    /// The engine's clock at which a timer is already booked.
    func booked(_ index: Int) -> Int64 { isSpread(index) ? self[index].booked : slots[index].booked }

    /// Notes when the next timer is booked.
    mutating func schedule(_ index: Int, at clock: Int64) {
        if isSpread(index) { self[index].booked = clock } else { slots[index].booked = clock }
    }

    /// Adds an empty place.
    mutating func append() { slots.append(Slot()) }

    /// Puts a state that is spread out where a participant's was.
    mutating func put(_ state: ParticipantState, at index: Int) {
        slots[index].bytes = nil
        if !isSpread(index) { slots[index].spread = unused.popLast() ?? room() }
        self[index] = state
        if !slots[index].isQueued { postpone(index) }
    }

    /// Puts a state as bytes where a participant's was.
    /// - Parameter booked: the engine's clock at which its next timer runs.
    mutating func pack(_ index: Int, as bytes: [UInt8], booked: Int64) {
        release(index)
        // Without the room to grow that writing them left.
        let exact = [UInt8](unsafeUninitializedCapacity: bytes.count) { room, count in
            count = room.initialize(from: bytes).index
        }
        slots[index].bytes = exact
        slots[index].booked = booked
    }

    /// Makes a place empty.
    mutating func remove(_ index: Int) {
        release(index)
        slots[index].bytes = nil
        slots[index].booked = .max
    }

    /// Takes the next of those that are spread out from the queue; nil where there is none.
    mutating func next() -> Int? {
        while head < queue.count {
            let index = Int(queue[head])
            head += 1
            slots[index].isQueued = false
            if head > 1024, head > queue.count / 2 {
                queue.removeFirst(head)
                head = 0
            }
            if isSpread(index) { return index }
        }
        return nil
    }

    /// Puts somebody who was taken from the queue and stays spread out at its end.
    mutating func postpone(_ index: Int) {
        queue.append(Int32(index))
        slots[index].isQueued = true
    }

    private mutating func room() -> Int32 {
        spread.append(ParticipantState())
        return Int32(spread.count - 1)
    }

    private mutating func release(_ index: Int) {
        guard isSpread(index) else { return }
        spread[Int(slots[index].spread)] = ParticipantState()
        unused.append(slots[index].spread)
        slots[index].spread = -1
    }
}
