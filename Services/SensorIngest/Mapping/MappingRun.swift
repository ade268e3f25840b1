import Foundation
package import VigilSchema

/// The readings of one device in a mapped message.
package struct MappedReadings: Sendable {
    package var address: DeviceAddress
    package var decoded = DecodedReadings()
    /// The places of readings without a time of their own.
    package var stamped: [Int] = []
    /// The counts of a day so far, at the times of the counts.
    var dayCounts: [DayCount] = []
    /// The state of the device itself.
    var state = DeviceState()
    /// The numbers of readings of one metric and time.
    fileprivate var contents = DistinctContents()

    /// A reading that counts from the beginning of its day.
    struct DayCount: Sendable {
        /// Its place among the readings.
        let place: Int
        /// The zone of the day, where the message or the mapping names one.
        let zone: DayZone?
    }
}

/// One message on its way through a mapping.
struct MappingRun {
    private let mappings: [Mapping]
    private let place: Int
    /// The whole message, before records are made of it.
    private let whole: MappingExpression.Scope
    /// The time of receipt, which stands in where there is none.
    let received: Timestamp
    private var results: [MappedReadings] = []
    /// The places of devices among the results.
    private var places: [DeviceAddress: Int] = [:]
    /// The refusal before it was known whose it is.
    private(set) var errors: [PayloadError] = []
    /// A Boolean value that indicates whether the mapping fits and says that it is nobody's: then no other one is to say whose it is.
    private(set) var isNobodys = false
    /// The names that stand where a metric's name is expected, and are in no table.
    private var unknownNames: [String] = []
    /// Those of them that had a value that was to be read.
    private var missedNames: [String] = []
    /// The keys that look like a vital sign, and that the mapping leaves out.
    var leftOut: [String] = []
    /// The key of the record at hand that may hold its time, once it was looked for.
    private var unreadTime: String??
    /// The place of the record's first reading among its device's.
    private var recordStart = 0
    private static let maximumRecords = 100_000
    /// What one message may name: whoever sends it must not push out what is known of everybody else's.
    private static let maximumDevices = 1000
    /// The metrics that sensors count through a day and start anew at midnight.
    static let dayCounters: Set = ["steps", "distance", "floors", "energy", "active-energy", "basal-energy", "active-minutes"]

    /// - Parameter place: That of the mapping among the mappings: it is large, and looked at in its place.
    init(_ place: Int, of mappings: [Mapping], _ whole: MappingExpression.Scope, received: Timestamp) {
        (self.mappings, self.place) = (mappings, place)
        self.whole = whole
        self.received = received
    }

    var mapping: Mapping { _read { yield mappings[place] } }

    /// The readings of the message, a part for each device.
    mutating func run() throws(PayloadError) -> [MappedReadings] {
        if mapping.each.isEmpty { take(whole, path: "$") } else { try takeRecords() }
        // Of several devices the message around their records tells nothing of any one.
        if !mapping.each.isEmpty, results.count == 1 {
            results[0].state.fill(from: DeviceMembers.state(of: whole.message, read: mapping.messageKeys, received: received))
        }
        if results.isEmpty, let first = errors.first { throw first }
        guard !results.isEmpty else {
            throw PayloadError(.missing, "the mapping \(mapping.name) finds no reading in the message\(remark)", offset: 0)
        }
        if !errors.isEmpty { results[0].decoded.refusals += errors }
        if !missedNames.isEmpty {
            let names = missedNames.joined(separator: ", ")
            results[0].decoded.refusals.append(PayloadError(.unsupported, "left out, as no metric is known for it: \(names)"))
        }
        if !leftOut.isEmpty {
            let names = leftOut.map { "\"\($0.cut(characters: 32))\"" }.joined(separator: ", ")
            let reason = "left out by the mapping \(mapping.name), and may be a vital sign: \(names); add it to a mapping of your own"
            results[0].decoded.refusals.append(PayloadError(.unsupported, reason))
        }
        return results
    }

    private mutating func takeRecords() throws(PayloadError) {
        var records = [MappingRecord(path: "$", value: whole.message, key: nil)]
        for step in mapping.each { records = records.flatMap { record in step.flatMap { record.expanded(by: $0, whole) } } }
        guard records.count <= Self.maximumRecords else { throw PayloadError(.tooLarge, "more than 100000 records in one message") }
        for record in records { take(record.scope(in: whole), path: record.path) }
        refuseUnknown(in: whole, used: mapping.messageKeys, path: "$")
    }

    /// The names of what there was in place of readings.
    private var remark: String {
        if !unknownNames.isEmpty { return ": no metric is known for \(unknownNames.joined(separator: ", "))" }
        guard case .object(let members) = whole.message, !members.isEmpty else { return "" }
        let keys = members.prefix(8).map { $0.key.text.cut(characters: 32) }
        return ", which has \(keys.joined(separator: ", "))\(members.count > 8 ? " and others" : "")"
    }

    private mutating func take(_ scope: MappingExpression.Scope, path: String) {
        let known = results.count
        guard let place = place(for: scope) else { return }
        recordStart = results[place].decoded.readings.count
        results[place].state.adopt(DeviceMembers.state(of: scope.record, read: mapping.recordKeys, received: received))
        if let (key, reason) = RecordStatus.objection(to: scope.record, read: mapping.recordKeys) {
            refuse(PayloadError(.implausible, "the record \(reason), as \"\(key)\" says: it is no measurement", path: path), at: place)
            return
        }
        unreadTime = nil
        // In their place: a reading's declaration is large, and mostly its value is not there.
        for index in mapping.readings.indices where mapping.readings[index].when.holds(in: scope) { add(index, scope, path, to: place) }
        if mapping.takesKnownNames { addKnown(scope, path, to: place) } else { noteLeftOut(in: scope, at: place) }
        refuseUnknown(in: scope, used: mapping.recordKeys, path: path, place: place)
        // A device that was there before has something, be it its state alone: only the record's own is taken away, which is the last.
        guard place == known, results[place].isEmpty else { return }
        let isState = !results[place].state.isEmpty && results[place].isSomebodys
        if !isState || !DeviceMembers.areAll(of: scope.record, read: mapping.recordKeys) { places[results.removeLast().address] = nil }
    }

    /// The place of the device's results.
    private mutating func place(for scope: MappingExpression.Scope) -> Int? {
        guard let participant = mapping.participant.text(in: scope) else {
            let reason = "nobody is known whose it is: none of what the mapping \(mapping.name) says of participants fits"
            errors.append(PayloadError(.missing, reason))
            isNobodys = true
            return nil
        }
        guard let device = mapping.device.text(in: scope) else {
            errors.append(PayloadError(.missing, "the device is not named where the mapping \(mapping.name) looks for it"))
            return nil
        }
        let address = DeviceAddress(participant: Name.valid(participant), device: Name.valid(device))
        if let known = places[address] { return known }
        guard results.count < Self.maximumDevices else {
            errors.append(
                PayloadError(.tooLarge, "more than \(Self.maximumDevices) devices in one message; those of the others are left out"))
            return nil
        }
        places[address] = results.count
        results.append(MappedReadings(address: address))
        return results.count - 1
    }

    /// Adds the reading that is declared there.
    private mutating func add(_ index: Int, _ scope: MappingExpression.Scope, _ path: String, to place: Int) {
        let given = mapping.readings[index].value?.value(in: scope) ?? mapping.readings[index].text?.value(in: scope)
        // What most readings of a mapping for many sensors come to.
        if given == nil, !mapping.readings[index].isRequired, mapping.readings[index].metric.isConstant { return }
        guard var metric = mapping.readings[index].metric.text(in: scope), !metric.isEmpty else {
            let isMissed = mapping.readings[index].isRequired && given != nil
            return noteUnknown(mapping.readings[index].metric, scope, isMissed: isMissed)
        }
        guard let given else {
            guard mapping.readings[index].isRequired else { return }
            return refuse(PayloadError(.missing, "\(metric) is missing", path: path), at: place)
        }
        if let reason = mapping.readings[index].refusal {
            return refuse(PayloadError(.implausible, "\(metric): \(reason)", path: path), at: place)
        }
        let content: Observation.Content
        var unit = ""
        if mapping.readings[index].text != nil {
            guard let text = given.text, !text.isEmpty else { return }
            content = .text(text)
        } else if let measure = given.measure(of: metric) {
            guard measure.number.isFinite else {
                return refuse(PayloadError(.notFinite, "\(metric) is no finite number", path: path), at: place)
            }
            content = .value(measure.number)
            unit = measure.unit
        } else {
            noteUnreadable(given, of: metric, at: place)
            return refuse(PayloadError(.wrongType, "a number is expected for \(metric)", path: path), at: place)
        }
        if let reason = conflict(of: mapping.readings[index], metric, in: scope) {
            return refuse(PayloadError(.unknownUnit, reason, path: path), at: place)
        }
        unit = mapping.readings[index].unit?.text(in: scope) ?? unit
        if unit.isEmpty, let named = nameWithUnit(mapping.readings[index].metric, metric, in: scope) { (metric, unit) = named }
        let scope = announced(index, scope)
        let time = mapping.readings[index].time ?? mapping.time, period = mapping.readings[index].period ?? mapping.period
        add(metric, content, unit, time, period, scope, path, to: place)
    }

    private mutating func noteUnknown(_ source: Mapping.Source, _ scope: MappingExpression.Scope, isMissed: Bool) {
        guard unknownNames.count < 5 || isMissed && missedNames.count < 5,
            let name = source.expressions.lazy.compactMap({ $0.value(in: scope)?.text }).first
        else { return }
        let quoted = "\"\(name.cut(characters: 64))\""
        if unknownNames.count < 5, !unknownNames.contains(quoted) { unknownNames.append(quoted) }
        if isMissed, missedNames.count < 5, !missedNames.contains(quoted) { missedNames.append(quoted) }
    }

    /// Returns whether a record's metric was not there yet. A second key for it that says otherwise is refused; one that says the same, left out.
    mutating func isFirst(_ metric: String, _ number: Double, _ path: String, at place: Int) -> Bool {
        let known = results[place].decoded.readings.dropFirst(recordStart).first { $0.observation.metric == metric }
        guard let known else { return true }
        if known.observation.content != .value(number) {
            refuse(PayloadError(.malformed, "another key of the record is the \(metric) too, and says otherwise", path: path), at: place)
        }
        return false
    }

    /// Returns whether the record has a reading of a metric.
    func holds(_ metric: String, at place: Int) -> Bool {
        results[place].decoded.readings.dropFirst(recordStart).contains { $0.observation.metric == metric }
    }

    func participant(at place: Int) -> String { results[place].address.participant }

    func readingCount(at place: Int) -> Int { results[place].decoded.readings.count }

    /// How many readings and refusals there are.
    func tally(at place: Int) -> Int { results[place].decoded.readings.count + results[place].decoded.refusals.count }

    /// The rest is of another record of the same device.
    mutating func beginRecord(at place: Int) { recordStart = results[place].decoded.readings.count }

    mutating func add(
        _ metric: String, _ content: Observation.Content, _ unit: String, _ when: Mapping.Time?, _ period: MappingExpression?,
        _ scope: MappingExpression.Scope, _ path: String, to place: Int
    ) {
        if let (key, reason) = flag(of: metric, in: scope) {
            return refuse(
                PayloadError(.implausible, "\(metric) \(reason), as \"\(key)\" says: it is no measurement", path: path), at: place)
        }
        let found: MeasuredTime
        do throws(PayloadError) {
            found = try time(of: metric, when, period, scope)
            if !mapping.takesKnownNames {
                if found.isStamped { try checkUnreadTime(in: scope) } else { try checkSurerTime(than: found.time, when, in: scope) }
            }
        } catch {
            return refuse(PayloadError(error.code, error.reason, path: path), at: place)
        }
        if metric == DeviceAspect.battery.metric, case .value(let charge) = content { return note(charge, unit, path, at: place) }
        let observation = Observation(
            metric: metric, time: found.time, interval: found.interval, content: content, unit: unit, zone: found.zone)
        if found.isStamped {
            results[place].stamped.append(results[place].decoded.readings.count)
            results[place].decoded.isStamped = true
        }
        var parsed = ParsedObservation(observation, offsets: .init(element: 0), index: nil, notation: .place(path))
        parsed.part = mapping.part?.text(in: scope).map { Name.valid($0) }
        if found.isDayCount {
            let zone = found.zone.flatMap { TimeZone(secondsFromGMT: 60 * Int($0)) } ?? (when ?? mapping.time)?.format.zone
            results[place].dayCounts.append(.init(place: results[place].decoded.readings.count, zone: zone.map { DayZone($0) }))
        } else if !found.isStamped {
            results[place].tellApart(&parsed)
        }
        results[place].decoded.readings.append(parsed)
    }

    /// The flag of a record, or of the object at hand, that says that a metric's value is no measurement.
    private func flag(of metric: String, in scope: MappingExpression.Scope) -> (key: String, reason: String)? {
        let read = mapping.recordKeys
        return RecordFlags.objection(to: metric, in: scope.record, read: read)
            ?? scope.holder.flatMap { RecordFlags.objection(to: metric, in: $0, read: read) }
    }

    /// Notes the charge of the device's battery: a number without a unit is in per cent.
    private mutating func note(_ charge: Double, _ unit: String, _ path: String, at place: Int) {
        let metric = DeviceAspect.battery.metric
        guard let definition = MetricCatalogue.standard.definition(named: metric),
            let conversion = UnitConversion.from(
                unit.isEmpty ? definition.unit : UnitsBeside.spelled(unit, for: definition) ?? unit, to: definition)
        else {
            let reason = "the charge of a battery is in %, and \"\(unit.cut(characters: 32))\" is none: map it to no metric, or by a table"
            return refuse(PayloadError(.unknownUnit, reason, path: path), at: place)
        }
        guard (0...100).contains(conversion(charge)) else {
            return refuse(PayloadError(.implausible, "\(metric) is 0 to 100 %", path: path), at: place)
        }
        results[place].state.battery = conversion(charge)
    }

    /// Refuses a record that brings a time under a key that its mapping does not read: what was measured then is no value of now.
    private mutating func checkUnreadTime(in scope: MappingExpression.Scope) throws(PayloadError) {
        guard case .object(let members) = scope.record else { return }
        if unreadTime == nil {
            unreadTime = .some(KnownTime.unreadKey(beside: members, unless: mapping.accountsFor))
        }
        if case .some(.some(let key)) = unreadTime { throw KnownTime.unreadError(key) }
    }

    /// Refuses a record that brings a time of measuring beside the time of sending that its mapping reads, where the two differ.
    private func checkSurerTime(
        than time: Timestamp, _ when: Mapping.Time?, in scope: MappingExpression.Scope
    ) throws(PayloadError) {
        guard scope.known == nil, let when, case .object(let members) = scope.record else { return }
        guard let place = when.places.first(where: { $0.value(in: scope) != nil }), let weight = place.timeWeight else { return }
        let key = KnownTime.surerKey(beside: members, than: weight, at: time, when.format, unless: mapping.accountsFor)
        guard let key else { return }
        let reason =
            "the time under \"\(key.cut(characters: 32))\" says when this was measured, and the mapping \(mapping.name) reads another"
        throw PayloadError(.implausibleTime, "\(reason): name it in a mapping of your own")
    }

    /// With the time that an announced sensor's message brings, in the object of its value or around it.
    private func announced(_ index: Int, _ scope: MappingExpression.Scope) -> MappingExpression.Scope {
        guard mapping.isAnnounced, case .object(let members) = scope.record else { return scope }
        var holder = scope
        if case .expression(.path(.record, let steps))? = mapping.readings[index].value?.origin, steps.count > 1 {
            holder.holder = MappingExpression.path(.record, steps.dropLast()).value(in: scope)
        }
        let format = mapping.time?.format ?? MappingTime(), outer = KnownTime(members, format)
        let own = holder.holder.flatMap { KnownTime($0.objectMembers, format, isWithin: true) }
        holder.known = own ?? outer
        return holder
    }

    /// Notes a word that a sensor sends in place of a number.
    mutating func noteUnreadable(_ value: MappingValue, of metric: String, at place: Int) {
        guard results[place].decoded.unreadable.count < 20, let text = value.text, ExtremeReading.isWord(text) else { return }
        results[place].decoded.unreadable.append(Observation(metric: metric, time: received, content: .text(text), unit: ""))
    }

    mutating func refuse(_ error: PayloadError, at place: Int) { results[place].decoded.refusals.append(error) }

    /// Refuses, by name, each key that is neither read nor left out on purpose.
    private mutating func refuseUnknown(
        in scope: MappingExpression.Scope, used: Set<String>, path: String, place: Int? = nil
    ) {
        guard !mapping.ignoresAll, case .object(let members) = scope.record else { return }
        var told = 0
        for member in members where member.key != MappingValue.parentKey && !used.contains(member.key.text) {
            if mapping.ignored.contains(where: { $0.matches(member.key.text) }) { continue }
            if mapping.takesKnownNames, KnownName(member.key.text) != nil || TimeName(member.key.text) != nil { continue }
            if DeviceMembers.isMember(member.key.text) { continue }
            told += 1
            guard told <= 5 else { return }
            let key = member.key.brief
            let error = PayloadError(
                .unsupported, "the key \"\(key)\" is neither mapped nor left out on purpose (mapping \(mapping.name))",
                path: "\(path).\(key)")
            if let place { refuse(error, at: place) } else { errors.append(error) }
        }
    }
}

extension MappedReadings {
    /// Numbers readings of one metric and time that say something different: none of them is a correction of another.
    fileprivate mutating func tellApart(_ parsed: inout ParsedObservation) {
        parsed.observation.sequence = contents.number(of: parsed.observation, part: parsed.part)
    }

    /// Moves counts of a day to the day's beginning.
    /// - Parameter total: Returns the day's total in place of a count; nil leaves it as it is.
    mutating func beginDays(
        in zone: DayZone, total: (_ count: ParsedObservation, _ day: Timestamp) -> Observation? = { _, _ in nil }
    ) {
        for dayCount in dayCounts {
            let count = decoded.readings[dayCount.place]
            let day = (dayCount.zone ?? zone).startOfDay(count.observation.time)
            if let total = total(count, day.time) { decoded.readings[dayCount.place].observation = total }
            (decoded.readings[dayCount.place].observation.time, decoded.readings[dayCount.place].observation.zone) = day
        }
    }

    /// A Boolean value that indicates whether it is known whose they are.
    var isSomebodys: Bool { address.participant != DeviceAddress.unknown.participant }

    /// A Boolean value that indicates whether there is no reading in it, not even a refused one.
    var isEmpty: Bool { decoded.readings.isEmpty && decoded.refusals.isEmpty }
}
