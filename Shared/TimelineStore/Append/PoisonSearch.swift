/// Finds the rows that the database refuses, by trying ever smaller parts.
///
/// n rows with p poisonous ones among them take about 2 p log2 n trials.
struct PoisonSearch {
    /// Why the database refuses these rows together; nil where it takes them.
    let refusal: (Set<RowPosition>) throws(StoreError) -> String?

    /// The poisonous among the places, each with the reason.
    func find(in places: [RowPosition]) throws(StoreError) -> [RowPosition: String] {
        guard !places.isEmpty, let reason = try refusal(Set(places)) else { return [:] }
        if places.count == 1 { return [places[0]: reason] }
        let middle = places.count / 2
        let left = try find(in: Array(places[..<middle]))
        return try left.merging(find(in: Array(places[middle...]))) { first, _ in first }
    }
}
