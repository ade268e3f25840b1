import VigilSchema

/// Readings by the metrics' usual names, for mappings that declare none of their own.
///
/// The forms that are understood: `"hr": 61`, `"heart_rate": {"value": 61, "unit": "bpm"}`, `"heart_rate": {"avg": 61, "max": 80}`, `"weight_lb": 150`,
/// `"bp": "121/79"`, `{"type": "heart_rate", "value": 61}`, and all of these in objects and arrays of objects within.
extension MappingRun {
    /// Takes every key that is a metric's name or alias, also of objects within the record.
    mutating func addKnown(_ scope: MappingExpression.Scope, _ path: String, to place: Int) {
        let before = readingCount(at: place)
        addKnown(scope.record, scope, path, to: place, depth: 0)
        guard readingCount(at: place) == before, case .object = scope.record else { return }
        // `vitals/heart_rate` with `{"value": 61}`: the topic says what it is.
        guard let name = scope.topic?["last"].flatMap({ KnownName($0) }), let measure = KnownName.present(scope.record)?.measure else {
            return
        }
        add(name.metric, measure.number, scope.record.givenUnit ?? name.unit ?? measure.unit, timed(scope.record, scope), path, to: place)
    }

    private mutating func addKnown(
        _ value: MappingValue, _ scope: MappingExpression.Scope, _ path: String, to place: Int, depth: Int
    ) {
        guard depth < 4 else { return }
        if case .array(let elements) = value { return addElements(elements, scope, path, to: place, depth: depth) }
        guard case .object(let members) = value else { return }
        let scope = timed(value, scope)
        addNamed(value, scope, path, to: place)
        for member in members where member.key != MappingValue.parentKey && !KnownName.isNoMeasurement(member.key.text) {
            add(member, of: value, scope, "\(path).\(member.key.text)", to: place, depth: depth)
        }
    }

    private mutating func add(
        _ member: MappingValue.Member, of owner: MappingValue, _ scope: MappingExpression.Scope, _ path: String, to place: Int, depth: Int
    ) {
        let key = member.key.text
        if KnownName.isPressure(key), addPressure(member.value, scope, path, to: place) { return }
        guard let name = KnownName(key) else {
            if member.value.measure != nil, !mapping.recordKeys.contains(key), let remark = KnownName.objection(to: key) {
                return refuse(PayloadError(.unsupported, "the key \"\(key)\" \(remark)", path: path), at: place)
            }
            return addKnown(member.value, scope, path, to: place, depth: depth + 1)
        }
        let scope = timed(member.value, scope)
        let beside = owner[MappingKey("\(key)_unit")]?.text ?? owner[MappingKey("\(key)Unit")]?.text
        guard let measure = KnownName.present(member.value)?.measure else {
            if case .array(let elements) = member.value { return addElements(elements, of: name, scope, path, to: place, depth: depth) }
            guard !addBounds(member.value, of: name, scope, path, to: place) else { return }
            return addKnown(member.value, scope, path, to: place, depth: depth + 1)
        }
        let unit = member.value.givenUnit ?? beside ?? name.unit ?? measure.unit
        add(name.metric, measure.number, unit, scope, path, to: place)
        addBounds(member.value, of: name, scope, path, to: place)
    }

    /// `{"type": "heart_rate", "value": 61, "unit": "bpm"}`: the metric's name is a value too.
    private mutating func addNamed(_ value: MappingValue, _ scope: MappingExpression.Scope, _ path: String, to place: Int) {
        guard let given = KnownName.present(value) else { return }
        for text in KnownName.namingKeys.lazy.compactMap({ value[$0]?.text }) {
            if KnownName.isPressure(text), addPressure(given, scope, path, to: place) { return }
            guard let name = KnownName(text), let measure = given.measure else { continue }
            return add(name.metric, measure.number, value.givenUnit ?? name.unit ?? measure.unit, scope, path, to: place)
        }
    }

    /// The lowest and highest of an interval, where the metric has names for them.
    @discardableResult
    private mutating func addBounds(
        _ value: MappingValue, of name: KnownName, _ scope: MappingExpression.Scope, _ path: String, to place: Int
    ) -> Bool {
        var isThere = false
        for (ending, keys) in [("minimum", KnownName.lowest), ("maximum", KnownName.highest)] {
            guard let metric = MetricCatalogue.standard.definition(named: "\(name.metric)-\(ending)"),
                let measure = keys.lazy.compactMap({ value[$0]?.measure }).first
            else { continue }
            add(metric.name, measure.number, value.givenUnit ?? name.unit ?? measure.unit, scope, path, to: place)
            isThere = true
        }
        return isThere
    }

    /// A pressure as a text, `121/79`.
    private mutating func addPressure(
        _ value: MappingValue, _ scope: MappingExpression.Scope, _ path: String, to place: Int
    ) -> Bool {
        guard let text = value.text, let parts = text.wholeMatch(of: /\s*(\d{2,3})\s*\/\s*(\d{2,3})\s*(?:mmHg)?\s*/)?.output,
            let systolic = Double(parts.1), let diastolic = Double(parts.2)
        else { return false }
        add("systolic-pressure", systolic, "mm[Hg]", scope, path, to: place)
        add("diastolic-pressure", diastolic, "mm[Hg]", scope, path, to: place)
        return true
    }

    /// Each element is a record of its own, with its own time where it has one.
    /// - Parameter name: The key that they stand under, where it is a metric's: then their values are the metric's.
    private mutating func addElements(
        _ elements: [MappingValue], of name: KnownName? = nil, _ scope: MappingExpression.Scope, _ path: String, to place: Int, depth: Int
    ) {
        for (number, element) in elements.prefix(Self.maximumElements).enumerated() {
            guard case .object = element else { continue }
            let scope = timed(element, scope)
            beginRecord(at: place)
            let path = "\(path)[\(number)]"
            if let name, let measure = KnownName.present(element)?.measure {
                add(name.metric, measure.number, element.givenUnit ?? name.unit ?? measure.unit, scope, path, to: place)
            } else {
                addKnown(element, scope, path, to: place, depth: depth + 1)
            }
        }
        beginRecord(at: place)
        guard elements.count > Self.maximumElements else { return }
        refuse(PayloadError(.tooLarge, "more than 10000 elements in one array; the others are left out", path: path), at: place)
    }

    private static let maximumElements = 10_000

    /// The scope in which an object's time is found, where it brings one of its own.
    private func timed(_ value: MappingValue, _ scope: MappingExpression.Scope) -> MappingExpression.Scope {
        guard case .object = value, let time = mapping.time else { return scope }
        var own = scope
        own.record = value
        return time.places.contains { $0.value(in: own) != nil } ? own : scope
    }

    private mutating func add(
        _ metric: String, _ number: Double, _ unit: String, _ scope: MappingExpression.Scope, _ path: String, to place: Int
    ) {
        guard number.isFinite else { return refuse(PayloadError(.notFinite, "\(metric) is no finite number", path: path), at: place) }
        guard isFirst(metric, number, path, at: place) else { return }
        add(metric, .value(number), unit, mapping.time, mapping.period, scope, path, to: place)
    }
}

extension MappingValue {
    /// The unit that an object names beside its value.
    fileprivate var givenUnit: String? {
        ["unit", "units", "unit_of_measurement", "uom"].lazy.compactMap { self[MappingKey($0)]?.text }.first
    }
}
