/// Names with `*` (any characters) and `?` (any one), upper and lower case alike.
enum Wildcard {
    /// Whether the name fits the pattern.
    static func fits(_ name: String, _ pattern: String) -> Bool {
        fits(Array(name.lowercased())[...], Array(pattern.lowercased())[...])
    }

    private static func fits(_ name: ArraySlice<Character>, _ pattern: ArraySlice<Character>) -> Bool {
        guard let first = pattern.first else { return name.isEmpty }
        if first == "*" { return fits(name, pattern.dropFirst()) || (!name.isEmpty && fits(name.dropFirst(), pattern)) }
        guard let character = name.first, first == "?" || first == character else { return false }
        return fits(name.dropFirst(), pattern.dropFirst())
    }
}
