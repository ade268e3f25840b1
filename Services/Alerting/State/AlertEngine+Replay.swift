import AlertRules

extension AlertEngine {
    /// Does again what a record of the journal says, after `restore`. What comes out came out before.
    /// - Returns: the places of those whom it concerned.
    mutating func replay(_ record: JournalRecord, capacity: Int) throws(ByteReader.Damage) -> Set<Int> {
        var places: Set<Int> = []
        var output = EngineOutput()
        for entry in record.entries {
            if let place = try replay(entry, capacity: capacity, into: &output) { places.insert(place) }
        }
        for event in output.events { places.insert(event.participant) }
        return places.union(takeFreed())
    }

    private mutating func replay(
        _ entry: JournalRecord.Entry, capacity: Int, into output: inout EngineOutput
    ) throws(ByteReader.Damage) -> Int? {
        switch entry {
        case .readings(let participant, let now, let readings):
            guard readings.allSatisfy({ rules.metrics.indices.contains($0.metric) }) else { throw ByteReader.Damage() }
            guard let place = place(of: participant, capacity: capacity) else { return nil }
            take(readings, of: place, now: now, into: &output)
            return place
        case .advance(let clock, let now): advance(to: clock, now: now, into: &output)
        case .skip(let clock, let now): skip(to: clock, now: now, into: &output)
        case .command(let participant, let rule, let request, let now):
            guard let rule = rules.rule(named: rule), let place = place(of: participant, capacity: capacity) else { return nil }
            // A command that was refused then is refused now: nothing changes.
            try? apply(request, to: place, rule: rule, now: now, into: &output)
        }
        return nil
    }
}
