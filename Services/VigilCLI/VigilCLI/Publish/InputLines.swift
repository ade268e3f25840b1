/// The lines of standard input that are not empty.
struct InputLines: Sequence, IteratorProtocol, Sendable {
    mutating func next() -> [UInt8]? {
        while let line = readLine() {
            if !line.isEmpty { return [UInt8](line.utf8) }
        }
        return nil
    }
}
