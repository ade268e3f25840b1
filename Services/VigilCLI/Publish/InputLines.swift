import Foundation

/// The lines of standard input that are not empty, as many at once as have arrived: what came together can be kept on disk together.
struct InputLines: Sequence, IteratorProtocol, Sendable {
    private var rest: [UInt8] = []
    private var hasEnded = false

    mutating func next() -> [[UInt8]]? {
        while !hasEnded {
            let arrived = Self.read()
            hasEnded = arrived.isEmpty
            var lines = (rest + arrived).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            rest = hasEnded ? [] : lines.popLast().map(Array.init) ?? []
            let full = lines.map { $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0 }.filter { !$0.isEmpty }
            if !full.isEmpty { return full.map(Array.init) }
        }
        return nil
    }

    /// What there is, at most 64 KiB; waits where there is nothing, and is empty at the end.
    private static func read() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
            repeat { count = Foundation.read(STDIN_FILENO, buffer.baseAddress, 65_536) } while count < 0 && errno == EINTR
            if count < 0 { count = 0 }
        }
    }
}
