import Foundation

/// Writes a list as an answer of bounded length: `{"result": […], "next": "…"}`, where `next` says where the rest
/// begins.
///
/// An answer of any length would take the memory of the timeline and the broker, or exceed the broker's limit.
enum BoundedList {
    /// The approximate largest size of an answer in bytes; one element is always included.
    static let bytes = 2 << 20

    /// - Parameters:
    ///   - elements: those after the first `offset`.
    ///   - isNewestFirst: whether the offset counts from the end, so that the beginning is cut.
    static func response<Element: Encodable>(
        _ elements: some BidirectionalCollection<Element>, offset: Int, isNewestFirst: Bool = false, _ encoder: JSONEncoder
    ) throws -> [UInt8] {
        try response(elements, isNewestFirst: isNewestFirst, encoder) { $0 < elements.count ? "\(offset + $0)" : nil }
    }

    /// - Parameter next: where the rest begins, after a number of elements; nil: there is none.
    static func response<Element: Encodable>(
        _ elements: some BidirectionalCollection<Element>, isNewestFirst: Bool = false, _ encoder: JSONEncoder, next: (Int) -> String?
    ) throws -> [UInt8] {
        var told: [[UInt8]] = []
        var room = bytes
        let order = isNewestFirst ? AnyBidirectionalCollection(elements.reversed()) : AnyBidirectionalCollection(elements)
        for element in order {
            let encoded = Array(try encoder.encode(element))
            room -= encoded.count + 1
            if room < 0 && !told.isEmpty { break }
            told.append(encoded)
        }
        if isNewestFirst { told.reverse() }
        let rest = try next(told.count).map { try Array(",\"next\":".utf8) + encoder.encode($0) } ?? []
        return Array("{\"result\":[".utf8) + told.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "]")] + rest + [UInt8(ascii: "}")]
    }
}
