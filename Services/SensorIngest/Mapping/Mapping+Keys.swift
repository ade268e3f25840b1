extension Mapping.Reading {
    fileprivate var expressions: [MappingExpression] {
        var all = metric.expressions
        for source in [value, text, unit] { all += source?.expressions ?? [] }
        all += when.tests.map(\.place)
        if let time { all += time.places + [time.clock].compactMap(\.self) }
        if let period { all.append(period) }
        return all
    }
}

extension Mapping {
    private var expressions: [MappingExpression] {
        var all = readings.flatMap(\.expressions)
        all += participant.expressions
        all += device.expressions
        all += part?.expressions ?? []
        for time in [time, until] { all += (time?.places ?? []) + [time?.clock].compactMap(\.self) }
        if let period { all.append(period) }
        return all
    }

    /// Notes once which keys something reads.
    mutating func findKeys() {
        messageKeys = expressions.reduce(into: Set<String>()) { $0.formUnion($1.keys(of: .message)) }
        for test in when.tests { messageKeys.formUnion(test.place.keys(of: .record)) }
        for place in each.first ?? [] { messageKeys.formUnion(place.keys(of: .record)) }
        recordKeys = expressions.reduce(into: Set<String>()) { $0.formUnion($1.keys(of: .record)) }
        deepKeys = expressions.reduce(into: Set<String>()) { $0.formUnion($1.allKeys) }
        if each.isEmpty { recordKeys.formUnion(messageKeys) }
    }
}
