/// A number or a text on its way to the table `reading`: plain numbers, no references, because there are many.
struct Reading {
    /// Stands for none in the numbers below.
    static let none: Int32 = -1

    var identity: Identity
    /// Meaningless where there is a text.
    var value: Double
    /// Microseconds since 1970.
    var received: Int64
    /// The text's index among the append's texts, or `none`.
    var text: Int32
    /// The session's number, or `none`.
    var session: Int32
    /// The origin's number, or `none`.
    var origin: Int32
    /// Minutes from UTC, or `Int16.min` for unknown.
    var zone: Int16
    var place: RowPosition
}
