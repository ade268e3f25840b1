import VigilSchema

extension CBORCursor {
    /// Reads past any item, checking that it is well formed.
    mutating func skip(_ bytes: Span<UInt8>, depth: Int = 0) throws(CBORError) {
        let head = try head(bytes)
        guard depth < CBORCursor.maximumDepth else { throw CBORError(.tooLarge, "nested deeper than 32 levels", at: head.offset) }
        switch head.major {
        case .unsigned, .negative: return
        case .bytes, .text: try skipString(head, bytes)
        case .array: try skipItems(head, perEntry: 1, bytes, depth: depth)
        case .map: try skipItems(head, perEntry: 2, bytes, depth: depth)
        case .tag: try skip(bytes, depth: depth + 1)
        case .simple:
            if head.isBreak { throw CBORError(.malformed, "a break stands where an item is expected", at: head.offset) }
        }
    }

    private mutating func skipString(_ head: CBORHead, _ bytes: Span<UInt8>) throws(CBORError) {
        guard head.argument == nil else {
            let range = try content(of: head, bytes)
            if head.major == .text { try checkText(range, bytes) }
            return
        }
        while !takeBreak(bytes) {
            let chunk = try self.head(bytes)
            guard chunk.major == head.major, chunk.argument != nil else {
                throw CBORError(.malformed, "a string's chunk is of another type", at: chunk.offset)
            }
            try skipString(chunk, bytes)
        }
    }

    private mutating func skipItems(
        _ head: CBORHead, perEntry: Int, _ bytes: Span<UInt8>, depth: Int
    ) throws(CBORError) {
        var left = head.argument
        while left != 0 {
            if left == nil, takeBreak(bytes) { return }
            for _ in 0..<perEntry { try skip(bytes, depth: depth + 1) }
            left = left.map { $0 - 1 }
        }
    }

    /// Text must be UTF-8.
    func checkText(_ range: Range<Int>, _ bytes: Span<UInt8>) throws(CBORError) {
        do {
            _ = try UTF8Span(validating: bytes.extracting(range))
        } catch {
            throw CBORError(.malformed, "the bytes are not UTF-8", at: range.lowerBound + error.byteOffsets.lowerBound)
        }
    }
}
