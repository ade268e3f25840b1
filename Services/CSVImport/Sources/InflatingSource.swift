import Compression

/// The content of compressed data.
final class InflatingSource: ByteSource {
    private var source: any ByteSource
    private let inflater: Inflater
    private let wrapping: Inflater.Wrapping
    private let name: String
    private var input = [UInt8](repeating: 0, count: 64 << 10)
    private var used = 0
    private var filled = 0
    private var memberHasEnded = false

    /// - Parameter name: for messages.
    init(_ source: any ByteSource, _ wrapping: Inflater.Wrapping, name: String) throws(ImportError) {
        self.source = source
        self.wrapping = wrapping
        self.name = name
        do {
            inflater = try Inflater(wrapping)
        } catch {
            throw ImportError(.source, "cannot unpack \(name): \(error)")
        }
    }

    func read(into buffer: inout [UInt8], at offset: Int, limit: Int) throws(ImportError) -> Int {
        while true {
            if used == filled {
                used = 0
                filled = try source.read(into: &input, at: 0, limit: input.count)
                if filled == 0 {
                    guard memberHasEnded else { throw ImportError(.source, "\(name) ends in the middle of its compressed data") }
                    return 0
                }
            }
            if memberHasEnded {
                // Bare data has one end; gzip members may follow each other.
                guard wrapping == .gzip else { return 0 }
                inflater.reset()
                memberHasEnded = false
            }
            let step = try unpack(into: &buffer, at: offset, limit: limit)
            used += step.used
            memberHasEnded = step.isAtEnd
            if step.written > 0 { return step.written }
        }
    }

    private func unpack(into buffer: inout [UInt8], at offset: Int, limit: Int) throws(ImportError) -> Inflater.Step {
        do {
            return try inflater.step(&input, from: used, to: filled, into: &buffer, at: offset, limit: limit)
        } catch {
            throw ImportError(.source, "cannot unpack \(name): \(error)")
        }
    }
}
