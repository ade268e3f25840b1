import Foundation

/// Writes a list as an answer of bounded length: `{"result": […], "next": "…"}`, where `next` says where the rest begins.
///
/// An answer that could be of any length would take the memory of the timeline and of the broker, or be more than the broker takes.
enum BoundedList {
    /// An answer has about as many bytes at most; one element is told however long it is.
    static let bytes = 2 << 20

    /// - Parameters:
    ///   - elements: those after the first `offset`.
    ///   - limit: the most that are told.
    ///   - isNewestFirst: the offset counts from the end, so that what has no room is at the beginning.
    static func response<Element: Encodable>(
        _ elements: some BidirectionalCollection<Element>, limit: Int = .max, offset: Int, isNewestFirst: Bool = false,
        _ encoder: JSONEncoder
    ) throws -> [UInt8] {
        var told: [[UInt8]] = []
        var room = bytes
        let order = isNewestFirst ? AnyBidirectionalCollection(elements.reversed()) : AnyBidirectionalCollection(elements)
        for element in order.prefix(limit) {
            let encoded = Array(try encoder.encode(element))
            room -= encoded.count + 1
            if room < 0 && !told.isEmpty { break }
            told.append(encoded)
        }
        if isNewestFirst { told.reverse() }
        let next = told.count < elements.count ? ",\"next\":\"\(offset + told.count)\"" : ""
        return Array("{\"result\":[".utf8) + told.joined(separator: [UInt8(ascii: ",")]) + Array("]\(next)}".utf8)
    }
}
