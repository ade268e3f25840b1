import VigilSchema

/// The members of one object of a mapped message, while it is read.
///
/// Keys are looked up one by one, and with very many of them that would take too long; of a key given twice nobody can say which value is meant.
struct MappingMembers {
    /// The reason why a key is not taken.
    enum Objection: Error {
        case tooMany
        case givenTwice
    }

    static let maximum = 1000

    private(set) var all: [MappingValue.Member] = []
    private var seen: UInt64 = 0

    mutating func reserve(_ count: Int) { all.reserveCapacity(count) }

    /// Checks a key whose value follows.
    mutating func expect(_ key: MappingKey) throws(Objection) {
        if seen & key.bit != 0, all.contains(where: { $0.key == key }) { throw .givenTwice }
        seen |= key.bit
        guard all.count < Self.maximum else { throw .tooMany }
    }

    mutating func append(_ key: MappingKey, _ value: MappingValue) { all.append(.init(key: key, value: value)) }
}

extension MappingMembers.Objection {
    var code: PayloadError.Code { self == .tooMany ? .tooLarge : .conflicting }

    var reason: StaticReason { self == .tooMany ? "more than 1000 keys in one object" : "a key is given twice" }
}
