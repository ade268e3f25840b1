/// The observations of an append call as rows, with every name known to the database.
struct Prepared {
    var readings: [Reading] = []
    var blocks: [Block] = []
    /// Whose rows they are, or more.
    var participants: Set<Int32> = []
    /// What the readings' `text` points into.
    var texts: [String] = []
    /// One for each batch; what was refused is in them already.
    var counts: [AppendCounts]

    init(batches: Int) { counts = Array(repeating: AppendCounts(), count: batches) }

    /// Puts the rows in the order of the tables' keys, so that a batch goes into neighbouring pages; of one identity the order of arrival
    /// stays.
    mutating func sort() {
        readings.sort { $0.identity == $1.identity ? $0.place < $1.place : $0.identity < $1.identity }
        blocks.sort { $0.identity == $1.identity ? $0.place < $1.place : $0.identity < $1.identity }
    }

    /// The text of a reading.
    func text(_ reading: Reading) -> String? { reading.text == Reading.none ? nil : texts[Int(reading.text)] }

    /// Notes that the observation at a place cannot be stored.
    mutating func reject(_ place: RowPosition, _ reason: String) {
        counts[Int(place.batch)].rejections.append(
            AppendRejection(group: Int(place.group), observation: Int(place.observation), reason: reason))
    }

    /// The same without the rows at these places, which are rejected for the reason beside them.
    func removing(_ poison: [RowPosition: String]) -> Prepared {
        var rest = self
        rest.readings.removeAll { poison[$0.place] != nil }
        rest.blocks.removeAll { poison[$0.place] != nil }
        for (place, reason) in poison { rest.reject(place, reason) }
        return rest
    }

    /// Only the rows at these places.
    func keeping(_ places: Set<RowPosition>) -> Prepared {
        var part = self
        part.readings.removeAll { !places.contains($0.place) }
        part.blocks.removeAll { !places.contains($0.place) }
        return part
    }
}
