import VigilSchema

/// Readings by the metrics' usual names, for mappings that declare none of their own.
///
/// The forms that are understood: `"hr": 61`, `"heart_rate": {"value": 61, "unit": "bpm"}`, `"heart_rate": {"avg": 61, "max": 80}`, `"weight_lb": 150`,
/// `"weight": 150, "unit": "lb"`, `"bp": "121/79"`, `{"type": "heart_rate", "value": 61}`, and all of these in objects and arrays of objects within.
/// What goes by a metric's name and cannot be read is refused, whatever else can.
extension MappingRun {
    /// Takes every key that is a metric's name or alias, also of objects within the record.
    mutating func addKnown(_ scope: MappingExpression.Scope, _ path: String, to place: Int) {
        if let error = objectionToPerson(scope, path, at: place) { return refuse(error, at: place) }
        let before = readingCount(at: place)
        addKnown(scope.record, beside: UnitsBeside(), scope, path, to: place, depth: 0)
        guard readingCount(at: place) == before, case .object = scope.record else { return }
        // `vitals/heart_rate` with `{"value": 61}`: the topic says what it is.
        guard let last = scope.topic?["last"], let name = KnownName(last), let measure = KnownName.present(scope.record)?.measure else {
            return
        }
        let own = scope.record.givenUnit ?? name.unit
        do throws(PayloadError) {
            let name = try certain(name, last, measure, own, in: scope)
            add(name.metric, measure, own, beside: UnitsBeside(), timed(scope.record, scope), path, to: place)
        } catch {
            refuse(PayloadError(error.code, error.reason, path: path), at: place)
        }
    }

    private mutating func addKnown(
        _ value: MappingValue, beside outer: UnitsBeside, _ scope: MappingExpression.Scope, _ path: String, to place: Int, depth: Int
    ) {
        guard depth < 4 else { return }
        if case .array(let elements) = value { return addElements(elements, beside: outer, scope, path, to: place, depth: depth) }
        guard case .object(let members) = value else { return }
        guard !KnownName.isWish(value) else {
            return refuse(PayloadError(.unsupported, "a shadow's delta holds what was wished for, no measurement", path: path), at: place)
        }
        if depth > 0, let (key, reason) = RecordStatus.objection(to: value, read: mapping.recordKeys) {
            return refuse(
                PayloadError(.implausible, "the record \(reason), as \"\(key)\" says: it is no measurement", path: path), at: place)
        }
        var scope = timed(value, scope)
        scope.holder = value
        let units = UnitsBeside(members, within: outer)
        addNamed(value, beside: units, scope, path, to: place)
        var isKeyedByTime = false
        for member in members where member.key != MappingValue.parentKey && !KnownName.isNoMeasurement(member) {
            if UnitsBeside.isUnits(member) { continue }
            if TimeShape.isTime(key: member.key.text), member.value.measure != nil || !member.value.isScalar {
                if !isKeyedByTime { refuse(keyedByTime(member.key, path), at: place) }
                isKeyedByTime = true
                continue
            }
            add(member, beside: units, scope, "\(path).\(member.key.brief)", to: place, depth: depth)
        }
    }

    private mutating func add(
        _ member: MappingValue.Member, beside units: UnitsBeside, _ scope: MappingExpression.Scope, _ path: String, to place: Int,
        depth: Int
    ) {
        let key = member.key.text
        if KnownName.isPressure(key), addPressure(member.value, key, beside: units, scope, path, to: place) { return }
        guard let name = KnownName(key) else { return addUnknown(member, beside: units, scope, path, to: place, depth: depth) }
        let holder = scope.holder
        var scope = timed(member.value, scope)
        guard let measure = KnownName.present(member.value)?.measure(of: name.metric) else {
            return addUnreadable(member, of: name, beside: units, scope, path, to: place, depth: depth)
        }
        let objection =
            RecordStatus.objection(to: member.value, read: []) ?? RecordFlags.objection(to: name.metric, in: member.value, read: [])
        if let (key, reason) = objection {
            let text = "\(name.metric) \(reason), as \"\(key)\" says: it is no measurement"
            return refuse(PayloadError(.implausible, text, path: path), at: place)
        }
        let own = member.value.givenUnit ?? units[key] ?? name.unit
        do throws(PayloadError) {
            scope.holder = holder
            let name = try certain(name, key, measure, own, in: scope)
            add(name.metric, measure, own, beside: units, scope, path, to: place)
            addBounds(member.value, of: name, beside: units, scope, path, to: place)
        } catch {
            refuse(PayloadError(error.code, error.reason, path: path), at: place)
        }
    }

    /// What goes by no name of a number's metric: a word of a metric of words, what stands within, or a refusal where the key looks like a vital sign.
    private mutating func addUnknown(
        _ member: MappingValue.Member, beside units: UnitsBeside, _ scope: MappingExpression.Scope, _ path: String, to place: Int,
        depth: Int
    ) {
        let before = tally(at: place), key = member.key.text
        if let metric = MetricCatalogue.standard.definition(for: key), addWord(member.value, of: metric, scope, path, to: place) { return }
        addKnown(member.value, beside: units, scope, path, to: place, depth: depth + 1)
        guard tally(at: place) == before, !mapping.recordKeys.contains(key),
            let number = KnownName.present(member.value)?.measure?.number, let remark = KnownName.objection(to: key, number)
        else { return }
        refuse(PayloadError(.unsupported, "the key \"\(member.key.brief)\" \(remark)", path: path), at: place)
    }

    /// Takes a word of a metric that has words of its own, and refuses any other, and samples without their rate.
    private mutating func addWord(
        _ value: MappingValue, of metric: MetricDefinition, _ scope: MappingExpression.Scope, _ path: String, to place: Int
    ) -> Bool {
        switch value {
        case .string(let text) where !text.isEmpty && !metric.vocabulary.isEmpty:
            guard let word = metric.vocabulary.first(where: { $0.lowercased() == text.lowercased() }) else {
                let reason = "\(metric.name) is one of \(metric.vocabulary.joined(separator: ", "))"
                refuse(PayloadError(.implausible, reason, path: path), at: place)
                return true
            }
            add(metric.name, .text(word), "", mapping.time, mapping.period, scope, path, to: place)
        case .array(let elements) where metric.kind == .waveform && elements.count > 1 && elements.allSatisfy({ $0.number != nil }):
            let reason = "samples of \(metric.name) without their rate: send them in the native format, with time and period"
            refuse(PayloadError(.missing, reason, path: path), at: place)
        default: return false
        }
        return true
    }

    /// What goes by a metric's name and is no number: bounds of an interval, values by their times, or a refusal.
    private mutating func addUnreadable(
        _ member: MappingValue.Member, of name: KnownName, beside units: UnitsBeside, _ scope: MappingExpression.Scope, _ path: String,
        to place: Int, depth: Int
    ) {
        let before = tally(at: place)
        if case .array(let elements) = member.value {
            addElements(elements, of: name, beside: units, scope, path, to: place, depth: depth)
        } else if !addBounds(member.value, of: name, beside: units, scope, path, to: place) {
            addKnown(member.value, beside: units, scope, path, to: place, depth: depth + 1)
        }
        guard tally(at: place) == before, !member.value.isBlank, !mapping.recordKeys.contains(member.key.text) else { return }
        noteUnreadable(KnownName.present(member.value) ?? member.value, of: name.metric, at: place)
        refuse(PayloadError(.wrongType, "a number is expected for \(name.metric)", path: path), at: place)
    }

    /// `{"type": "heart_rate", "value": 61, "unit": "bpm"}`: the metric's name is a value too.
    private mutating func addNamed(
        _ value: MappingValue, beside units: UnitsBeside, _ scope: MappingExpression.Scope, _ path: String, to place: Int
    ) {
        guard let given = KnownName.present(value) else { return }
        var unreadable: String?
        // A name that stands where values do as well is none of its own value.
        for text in KnownName.namingKeys.lazy.compactMap({ value[$0]?.text }) where text != given.text {
            if KnownName.isPressure(text), addPressure(given, text, beside: units, scope, path, to: place) { return }
            guard let name = KnownName(text) else { continue }
            guard let measure = given.measure(of: name.metric) else {
                unreadable = unreadable ?? name.metric
                continue
            }
            let own = value.givenUnit ?? name.unit
            do throws(PayloadError) {
                let name = try certain(name, text, measure, own, in: scope)
                return add(name.metric, measure, own, beside: units, scope, path, to: place)
            } catch {
                return refuse(PayloadError(error.code, error.reason, path: path), at: place)
            }
        }
        guard let unreadable, !given.isBlank else { return }
        noteUnreadable(given, of: unreadable, at: place)
        refuse(PayloadError(.wrongType, "a number is expected for \(unreadable)", path: path), at: place)
    }

    /// The lowest and highest of an interval, where the metric has names for them.
    @discardableResult
    private mutating func addBounds(
        _ value: MappingValue, of name: KnownName, beside units: UnitsBeside, _ scope: MappingExpression.Scope, _ path: String,
        to place: Int
    ) -> Bool {
        var isThere = false
        for (ending, keys) in [("minimum", KnownName.lowest), ("maximum", KnownName.highest)] {
            guard let metric = MetricCatalogue.standard.definition(named: "\(name.metric)-\(ending)"),
                let measure = keys.lazy.compactMap({ value[$0]?.measure }).first
            else { continue }
            add(metric.name, measure, value.givenUnit ?? name.unit, beside: units, scope, path, to: place)
            isThere = true
        }
        return isThere
    }

    /// A pressure as a text, `121/79`. False where it may hold readings of other keys.
    private mutating func addPressure(
        _ value: MappingValue, _ key: String, beside units: UnitsBeside, _ scope: MappingExpression.Scope, _ path: String, to place: Int
    ) -> Bool {
        let given = KnownName.present(value) ?? value
        if let pressure = PressureText(given) {
            let own = pressure.unit ?? value.givenUnit ?? units[key]
            add("systolic-pressure", (pressure.systolic, ""), own, beside: units, scope, path, to: place)
            add("diastolic-pressure", (pressure.diastolic, ""), own, beside: units, scope, path, to: place)
            return true
        }
        guard PressureText.isMeant(value, given, under: key) else { return false }
        refuse(PayloadError(.wrongType, "a blood pressure is a text such as \"121/79\", or systolic and diastolic", path: path), at: place)
        return true
    }

    /// Each element is a record of its own, with its own time where it has one.
    /// - Parameter name: The key that they stand under, where it is a metric's: then their values are the metric's.
    private mutating func addElements(
        _ elements: [MappingValue], of name: KnownName? = nil, beside units: UnitsBeside, _ scope: MappingExpression.Scope, _ path: String,
        to place: Int, depth: Int
    ) {
        var isTold = false
        let container = (path.split(separator: ".").last ?? "").prefix { $0 != "[" }
        let isMixed = Set(elements.prefix(64).lazy.compactMap { InnerPerson.name(in: $0, under: container) }).count > 1
        for (number, element) in elements.prefix(Self.maximumElements).enumerated() {
            let path = "\(path)[\(number)]"
            guard case .object(let members) = element else {
                if let name, !isTold, !element.isBlank {
                    isTold = true
                    let reason = "values of \(name.metric) in an array have no times: send objects with a time each"
                    refuse(PayloadError(.wrongType, reason, path: path), at: place)
                }
                continue
            }
            if let error = objection(to: element, under: container, isMixed: isMixed, scope, path, at: place) {
                refuse(error, at: place)
                continue
            }
            let scope = timed(element, scope, isElement: true)
            beginRecord(at: place)
            if let name, let measure = KnownName.present(element)?.measure, name.ambiguity?.need != .vitalSign {
                let units = UnitsBeside(members, within: units)
                add(name.metric, measure, element.givenUnit ?? name.unit, beside: units, scope, path, to: place)
            } else {
                addKnown(element, beside: units, scope, path, to: place, depth: depth + 1)
            }
        }
        beginRecord(at: place)
        guard elements.count > Self.maximumElements else { return }
        refuse(PayloadError(.tooLarge, "more than 10000 elements in one array; the others are left out", path: path), at: place)
    }

    private static let maximumElements = 10_000

    /// The scope in which an object's time is found, where it brings one of its own.
    private func timed(_ value: MappingValue, _ scope: MappingExpression.Scope, isElement: Bool = false) -> MappingExpression.Scope {
        guard case .object(let members) = value else { return scope }
        var own = scope
        own.record = value
        own.known = nil
        // A time that the message has for all of it says less than the record's own.
        var isWithin = scope.known != nil
        for place in mapping.time?.places ?? [] where place.value(in: own) != nil {
            if place.isOfRecord { return settled(own, members) }
            isWithin = true
        }
        let format = mapping.time?.format ?? MappingTime()
        guard let known = KnownTime(members, format, isWithin: isWithin, isElement: isElement) else { return scope }
        own = scope
        own.known = known
        return own
    }

    /// Of several places that a mapping looks at for a time, none is surer than its name: where the object's times differ, that counts.
    private func settled(_ scope: MappingExpression.Scope, _ members: [MappingValue.Member]) -> MappingExpression.Scope {
        guard let time = mapping.time, time.places.count > 1 else { return scope }
        guard let known = KnownTime(members, time.format, isWithin: true), known.decides(time.format) else { return scope }
        var settled = scope
        settled.known = known
        return settled
    }

    private mutating func add(
        _ metric: String, _ measure: (number: Double, unit: String), _ own: String?, beside units: UnitsBeside,
        _ scope: MappingExpression.Scope, _ path: String, to place: Int
    ) {
        let number = measure.number
        guard number.isFinite else { return refuse(PayloadError(.notFinite, "\(metric) is no finite number", path: path), at: place) }
        if let reason = oddity(of: metric, number, scope) {
            return refuse(PayloadError(.implausible, reason, path: path), at: place)
        }
        guard isFirst(metric, number, path, at: place) else { return }
        switch units.unit(of: metric, own: own ?? measure.unit) {
        case .refused(let reason): refuse(PayloadError(.unknownUnit, reason, path: path), at: place)
        case .unit("") where metric == "distance":
            let reason = "a distance without its unit may be in m, km or miles: send the unit beside it, or say which in a mapping"
            refuse(PayloadError(.unknownUnit, reason, path: path), at: place)
        case .unit(let unit): add(metric, .value(number), unit, mapping.time, mapping.period, counted(scope, metric), path, to: place)
        }
    }

    /// The reason why a number is none of the metric that its key names.
    private func oddity(of metric: String, _ number: Double, _ scope: MappingExpression.Scope) -> String? {
        if metric == "steps" || metric == "floors", number != number.rounded() {
            return "\(metric) are a whole number: a point that parts thousands is to be left out"
        }
        guard ["body-fat", "body-water", "energy"].contains(metric) || metric.hasPrefix("body-water"),
            (scope.holder ?? scope.record).objectMembers.contains(where: { Self.foods.contains(KnownName.bare($0.key.text)) })
        else { return nil }
        return "the \(metric) stands beside what was eaten, and may be the food's: say in a mapping what it is"
    }

    private static let foods: Set = [
        "meal", "mealtype", "food", "foodname", "recipe", "dish", "serving", "servings", "portion", "sugar", "sugars", "fiber", "fibre",
        "sodium", "salt", "saturatedfat", "carbs", "carbohydrates",
    ]

    /// The refusal of an object whose keys are times: only a mapping can say what stands below them.
    private func keyedByTime(_ key: MappingKey, _ path: String) -> PayloadError {
        let way = path.dropFirst(2)
        let advice = "declare a mapping with each: [\"\(way.isEmpty ? "" : "\(way).")*\"] and time: \"@key\""
        return PayloadError(.implausibleTime, "the key \"\(key.brief)\" is a time, and the values below are of it: \(advice)", path: path)
    }

    /// With the interval that an object names beside the time that the mapping reads, for what is counted.
    private func counted(_ scope: MappingExpression.Scope, _ metric: String) -> MappingExpression.Scope {
        guard Self.dayCounters.contains(metric), scope.known == nil, mapping.period == nil, mapping.until == nil,
            case .object(let members) = scope.record, let known = KnownTime(members, mapping.time?.format ?? MappingTime()),
            known.isInterval
        else { return scope }
        var own = scope
        own.known = known
        return own
    }
}

/// A blood pressure as people and cuffs write it: `121/79`, `220 / 130 mmHg (high)`.
struct PressureText {
    let systolic: Double
    let diastolic: Double
    /// Nil where it names none.
    let unit: String?

    init?(_ value: MappingValue) {
        guard let text = value.text, text.utf8.count <= 64,
            let parts = text.wholeMatch(of: /\s*(\d{2,3})\s*\/\s*(\d{2,3})\s*(mm\s?Hg)?\s*(?:\([^0-9()]*\))?\s*/.ignoresCase())?.output,
            let systolic = Double(parts.1), let diastolic = Double(parts.2)
        else { return nil }
        (self.systolic, self.diastolic) = (systolic, diastolic)
        unit = parts.3 == nil ? nil : "mm[Hg]"
    }

    /// Returns whether a value that is no such text was meant for one: then it is told, and not passed over.
    static func isMeant(_ value: MappingValue, _ given: MappingValue, under key: String) -> Bool {
        guard !value.isBlank, !given.isBlank else { return false }
        let isBlood = KnownName.isBloodPressure(key)
        switch given {
        case .string(let text): return isBlood || text.contains("/")
        case .number: return isBlood
        case .array(let elements): return isBlood && !elements.contains { if case .object = $0 { true } else { false } }
        default: return false
        }
    }
}
