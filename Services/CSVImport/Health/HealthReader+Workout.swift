import VigilSchema

/// A workout of Apple Health that is open, with what its only activity repeats.
///
/// Since iOS 16 a workout has activities, one or the parts of a triathlon, each with statistics of its own. Those of the only one stand once more in the
/// workout itself, before or behind it; in some exports they stand in it alone.
struct AppleWorkout {
    /// When it began, whose it is, and how long it lasted in seconds.
    let time: ParsedTime
    let subject: Int
    let interval: Int32
    /// The part that is open, where it has times of its own.
    var part: (time: ParsedTime, interval: Int32)?
    /// A Boolean value that indicates whether an activity is open that is the whole workout.
    var isInWhole = false
    /// The metrics that stand in the workout itself, and what an activity that is the whole workout says of others.
    var told: Set<String> = []
    var held: [(name: String, metric: Int, value: Double)] = []

    mutating func closeActivity() {
        part = nil
        isInWhole = false
    }
}

/// Workouts and their statistics.
extension HealthReader {
    /// A workout: its kind, its length, and what older exports say of it in attributes.
    mutating func takeWorkout(_ block: inout ReadingBlock) throws {
        // What stands in one that is refused is not of the one before.
        workout = nil
        account.rows += 1
        guard let time = moment("startDate"), time.microseconds <= latest, time.microseconds >= HealthReader.earliest else {
            return refuse("the workout's start is missing, cannot be read, lies in the future or before 1900", "startDate", &block)
        }
        let source = sourceName()
        if let objection = NameLimits.objection(source: source, session: session) { return refuse(objection, "sourceName", &block) }
        let subject = table.place(participant: participant, source: source, session: session)
        interval = interval(from: time)
        workout = AppleWorkout(time: time, subject: subject, interval: interval)
        let type = HealthType.hyphenated(tags.attribute("workoutActivityType")?.replacing("HKWorkoutActivityType", with: "") ?? "other")
        try append(.text(type), place("workout", unit: "1", definition: nil), subject, time, "workoutActivityType", &block)
        for (attribute, unit, metric, usual) in HealthReader.workoutValues {
            guard let text = tags.attribute(attribute), let value = Double(decimal: text), value > 0 else { continue }
            let given = tags.attribute(unit) ?? usual
            if let objection = NameLimits.objection(unit: given) {
                refuse(objection, attribute, &block)
                continue
            }
            try append(
                .number(value), place(metric, unit: HeaderUnit.canonical(given) ?? given, definition: nil), subject, time, attribute, &block
            )
        }
    }

    private static let workoutValues: [(StaticString, StaticString, String, String)] = [
        ("duration", "durationUnit", "workout-duration", "min"), ("totalDistance", "totalDistanceUnit", "workout-distance", "km"),
        ("totalEnergyBurned", "totalEnergyBurnedUnit", "workout-energy", "kcal"),
    ]

    /// An activity: the whole workout, or a part of it with times of its own.
    mutating func openActivity() {
        guard let whole = workout else { return }
        let start = moment("startDate") ?? whole.time
        let interval = tags.attribute("endDate") == nil ? whole.interval : interval(from: start)
        let isWhole = start.microseconds == whole.time.microseconds && interval == whole.interval
        workout?.isInWhole = isWhole
        workout?.part = isWhole ? nil : (start, interval)
    }

    /// What only the activity has said of the whole workout.
    mutating func closeWorkout(_ block: inout ReadingBlock) throws {
        guard let closed = workout else { return }
        workout = nil
        interval = closed.interval
        for (name, metric, value) in closed.held {
            if closed.told.contains(name) {
                account.ignored += 1
            } else {
                try append(.number(value), metric, closed.subject, closed.time, "workoutActivityType", &block)
            }
        }
    }

    private static let sums: [(StaticString, String)] = [
        ("sum", ""), ("average", "-mean"), ("minimum", "-least"), ("maximum", "-greatest"),
    ]

    /// A sum or a mean of the workout around it, or of its part.
    mutating func takeStatistics(_ block: inout ReadingBlock) throws {
        account.rows += 1
        guard let open = workout else { return refuse("it stands in no workout that was taken", "type", &block) }
        guard let type = tags.attribute("type") else { return refuse("the statistics have no type", "type", &block) }
        let given = tags.attribute("unit") ?? "1"
        if let objection = NameLimits.objection(unit: given) { return refuse(objection, "unit", &block) }
        interval = open.part?.interval ?? open.interval
        for (attribute, suffix) in HealthReader.sums {
            guard let text = tags.attribute(attribute), let number = Double(decimal: text) else { continue }
            let value = given == "%" ? number * 100 : number
            let prefix = open.part == nil ? "workout" : "workout-part"
            let name = String("\(prefix)-\(HealthType.hyphenated(HealthType.shortName(type)))\(suffix)".prefix(64))
            let metric = place(name, unit: HeaderUnit.canonical(given) ?? given, definition: nil)
            if open.isInWhole {
                workout?.held.append((name, metric, value))
                continue
            }
            if open.part == nil { workout?.told.insert(name) }
            try append(.number(value), metric, open.subject, open.part?.time ?? open.time, attribute, &block)
        }
    }
}
