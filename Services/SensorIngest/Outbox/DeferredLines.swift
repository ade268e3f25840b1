import Synchronization
import VigilSchema

/// The batches of devices that send more than their budget, a line for each device, and whose turn is next.
///
/// They lie in the outbox's file and are published in turn, one of each line at a time and few altogether, the next once the store has confirmed one: what
/// a device's readings cost, however it makes them costly, it waits for itself. Only ids are here, as many as the outbox's limit lets wait.
/// Threading: from anywhere.
package final class DeferredLines: Sendable {
    /// Batches that are published and not confirmed, of all lines together: with at most 500 readings each they take the store a moment.
    private static let window = 4

    private struct Line {
        /// The ids that wait, and the index of the first of them that still does.
        var waiting: [String] = []
        var first = 0
        /// The ids that are published and not confirmed.
        var published: Set<String> = []
        var bytes = 0

        var isEmpty: Bool { first == waiting.count && published.isEmpty }

        /// Takes the next one out.
        mutating func next() -> String? {
            guard first < waiting.count else { return nil }
            defer { first += 1 }
            if first >= 1024, first * 2 >= waiting.count {
                waiting.removeFirst(first)
                first = 0
            }
            return waiting[first]
        }
    }

    private struct State {
        var lines: [String: Line] = [:]
        /// The lines with something waiting, the one whose turn is next first.
        var turns: [String] = []
        var published = 0
        /// The line and size of each batch.
        var batches: [String: (line: String, bytes: Int)] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// The name of a device's line.
    static func name(_ address: DeviceAddress) -> String { "\(address.participant)/\(address.device)" }

    /// The number of batches that wait or are not confirmed.
    package var count: Int { state.withLock { $0.batches.count } }

    /// The bytes of a device's batches.
    func bytes(of line: String) -> Int { state.withLock { $0.lines[line]?.bytes ?? 0 } }

    /// Adds batches at the end of their lines.
    package func add(_ batches: [(id: String, line: String, bytes: Int)]) {
        state.withLock { state in
            for (id, name, bytes) in batches where state.batches[id] == nil {
                state.batches[id] = (name, bytes)
                var line = state.lines.removeValue(forKey: name) ?? Line()
                if line.first == line.waiting.count { state.turns.append(name) }
                line.waiting.append(id)
                line.bytes += bytes
                state.lines[name] = line
            }
        }
    }

    /// The batches whose turn it is: of each line that has none on its way the next, as long as not too many are. They count as published.
    package func next() -> [String] {
        state.withLock { state in
            var (taken, passed, served): ([String], [String], [String]) = ([], [], [])
            var turns = state.turns[...]
            while state.published < Self.window, let name = turns.popFirst() {
                guard var line = state.lines.removeValue(forKey: name) else { continue }
                let isBusy = !line.published.isEmpty
                if !isBusy, let id = line.next() {
                    line.published.insert(id)
                    state.published += 1
                    taken.append(id)
                }
                if line.first < line.waiting.count { if isBusy { passed.append(name) } else { served.append(name) } }
                state.lines[name] = line
            }
            // Those that had their turn stand behind those that had none.
            state.turns = passed + Array(turns) + served
            return taken
        }
    }

    /// Puts a batch that could not be published back to the head of its line.
    func putBack(_ ids: [String]) {
        state.withLock { state in
            for id in ids {
                guard let name = state.batches[id]?.line, var line = state.lines.removeValue(forKey: name) else { continue }
                if line.published.remove(id) != nil {
                    state.published -= 1
                    if line.first == line.waiting.count { state.turns.append(name) }
                    line.waiting.insert(id, at: line.first)
                }
                state.lines[name] = line
            }
        }
    }

    /// Takes batches out that the outbox holds no more. Returns whether there were any: then others may have their turn.
    @discardableResult
    package func remove(_ ids: some Collection<String>) -> Bool {
        state.withLock { state in
            guard !state.batches.isEmpty else { return false }
            var found = false
            for id in ids {
                guard let (name, bytes) = state.batches.removeValue(forKey: id), var line = state.lines.removeValue(forKey: name) else {
                    continue
                }
                found = true
                line.bytes -= bytes
                if line.published.remove(id) != nil {
                    state.published -= 1
                } else if let index = line.waiting[line.first...].firstIndex(of: id) {
                    line.waiting.remove(at: index)
                    if line.first == line.waiting.count { state.turns.removeAll { $0 == name } }
                }
                if !line.isEmpty { state.lines[name] = line }
            }
            return found
        }
    }
}
