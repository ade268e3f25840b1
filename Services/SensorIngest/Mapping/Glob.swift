/// Patterns in which `*` stands for anything; the case of ASCII letters does not count.
enum Glob {
    static func matches(_ pattern: String, _ text: String) -> Bool {
        var pattern = pattern, text = text
        return pattern.withUTF8 { pattern in text.withUTF8 { matches(pattern, $0) } }
    }

    private static func matches(_ pattern: UnsafeBufferPointer<UInt8>, _ text: UnsafeBufferPointer<UInt8>) -> Bool {
        var place = 0, start = 0
        var star: Int?, mark = 0
        while start < text.count {
            if place < pattern.count, pattern[place] == UInt8(ascii: "*") {
                (star, mark) = (place, start)
                place += 1
            } else if place < pattern.count, lowered(pattern[place]) == lowered(text[start]) {
                place += 1
                start += 1
            } else if let star {
                mark += 1
                (place, start) = (star + 1, mark)
            } else {
                return false
            }
        }
        while place < pattern.count, pattern[place] == UInt8(ascii: "*") { place += 1 }
        return place == pattern.count
    }

    private static func lowered(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
}
