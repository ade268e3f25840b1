/// What most people have nothing of: kept beside its owner, which stays small for it.
protocol EmptyInitializable: Hashable, Codable {
    /// What is the same as nothing.
    init()
}

extension Optional: EmptyInitializable where Wrapped: Hashable & Codable {
    init() { self = nil }
}

/// A property that takes a pointer's room until there is something in it, and is encoded as what it holds.
@propertyWrapper
struct Sparse<Value: EmptyInitializable & Sendable>: Sendable {
    private var box: [Value] = []

    init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

    var wrappedValue: Value {
        get { box.first ?? Value() }
        set { box = newValue == Value() ? [] : [newValue] }
    }
}

extension Sparse: Codable {
    init(from decoder: any Decoder) throws { self.init(wrappedValue: try Value(from: decoder)) }

    func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
}

extension KeyedDecodingContainer {
    /// Nothing where the key is missing, as in what a version before has kept.
    func decode<Value>(_ type: Sparse<Value>.Type, forKey key: Key) throws -> Sparse<Value> {
        try decodeIfPresent(type, forKey: key) ?? Sparse(wrappedValue: Value())
    }
}
