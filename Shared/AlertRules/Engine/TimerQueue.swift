/// Participants by the moment at which their next timer runs: a binary heap.
///
/// A participant may stand in it more than once; only the earliest counts, and the engine books anew whenever one runs.
struct TimerQueue: Sendable {
    struct Entry: Sendable {
        let due: Int64
        let participant: Int
    }

    private var heap: [Entry] = []

    var next: Entry? { heap.first }

    mutating func push(_ due: Int64, _ participant: Int) {
        heap.append(Entry(due: due, participant: participant))
        var child = heap.count - 1
        while child > 0, heap[child].due < heap[(child - 1) / 2].due {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func pop() -> Entry? {
        guard let first = heap.first, let last = heap.popLast() else { return nil }
        guard !heap.isEmpty else { return first }
        heap[0] = last
        sink()
        return first
    }

    private mutating func sink() {
        var parent = 0
        while true {
            var least = parent
            for child in [parent * 2 + 1, parent * 2 + 2] where child < heap.count && heap[child].due < heap[least].due { least = child }
            guard least != parent else { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
