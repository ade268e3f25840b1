import AlertRules
import Alerting
import Observability
import Settings
import SignalSynthesis

/// `vigil alerts drill`: plays synthetic deteriorations and uneventful days against rules.
enum AlertDrill {
    private static let seeds = Setting("seeds", .integer(in: 1...1000), default: 20, help: "The number of courses of each deterioration.")
    private static let firstSeed = Setting("first-seed", .integer(in: 0...1_000_000), default: 1, help: "The first course's seed.")
    private static let seedStep = Setting(
        "seed-step", .integer(in: 1...100), default: 1, help: "The step from one seed to the next: 2 for even or odd ones.")
    private static let days = Setting(
        "days", .integer(in: 0...1000), default: 100,
        help: "The number of days of people who are well, who are ill and stable, and who have diabetes.")
    private static let only = Setting.optional("only", .text, help: "Only the courses whose name contains this text.")
    private static let strict = Setting(
        "strict", .boolean, default: false, help: "End with code 1 if a goal is missed.")

    static let command = Command(
        name: "drill", summary: "plays synthetic deteriorations against rules: how soon each is reported, and false alarms",
        details: """
            Prints how long after the onset of each planted deterioration the first audible alarm came (median \
            and latest of all seeds), beside the goal from guidelines, and the medical alarms per day of people \
            to whom nothing happens. Everything is synthetic: a rule that misses here would miss people, but a \
            rule that passes is not proven.
            """,
        settings: [AlertService.rules, seeds, firstSeed, seedStep, days, only, strict]
    ) { invocation in
        let rules = try AlertTools.rules(try RuleFolder.read(try invocation[AlertService.rules]))
        let (first, wanted, step) = (UInt64(try invocation[firstSeed]), try invocation[only], UInt64(try invocation[seedStep]))
        let all = PlantedCourse.adults + PlantedCourse.childrenAndPregnancy
        let courses = all.filter { wanted.map($0.course.name.contains) ?? true }
        guard !courses.isEmpty else {
            throw CommandError(
                .usage, "no course's name has \"\(wanted ?? "")\"; there are: \(all.map(\.course.name).joined(separator: "; "))")
        }
        StandardOutput.line(DrillOutcome.header)
        var misses = 0
        for course in courses {
            let outcome = try DrillOutcome(course, rules: rules, seeds: (0..<UInt64(try invocation[seeds])).map { first + $0 * step })
            misses += outcome.isGoalMet ? 0 : 1
            guard StandardOutput.line(outcome.row) else { return }
        }
        StandardOutput.line("\n\(courses.count - misses) of \(courses.count) goals met.")
        let isBurdenMet = wanted == nil ? try tellBurden(rules, days: UInt64(try invocation[days]), first: first, step: step) : true
        if try invocation[strict], misses > 0 || !isBurdenMet { throw CommandError(.failure, "goals are missed") }
    }

    /// Prints the burden of the days without events.
    /// - Returns: whether it lies within the goals.
    private static func tellBurden(_ rules: RuleSet, days: UInt64, first: UInt64, step: UInt64) throws -> Bool {
        guard days > 0 else { return true }
        let kinds: [(name: String, goal: Double, course: (UInt64) -> VitalCourse)] = [
            ("well", 0.5, PersonDays.well), ("ill and stable", 6, PersonDays.ill), ("diabetes, no low", 0.5, PersonDays.diabetes),
        ]
        var isMet = true
        StandardOutput.line("\n" + DrillBurden.header)
        for kind in kinds {
            var burden = DrillBurden(name: kind.name, goal: kind.goal)
            for day in 0..<days { try burden.add(kind.course(first + day * step), rules: rules, seed: first + day * step) }
            for line in burden.rows { StandardOutput.line(line) }
            isMet = isMet && burden.isGoalMet
        }
        return isMet
    }
}

/// When the rules first told of one planted deterioration, over several seeds.
struct DrillOutcome {
    static let header =
        "| deterioration | first told: median | latest | missed | goal | first rule | goal's source |\n|---|---|---|---|---|---|---|"

    let course: PlantedCourse
    /// Seconds from the onset to the first audible alarm, by seed; nil: none came.
    private(set) var delays: [Double?] = []
    /// The rules that told first.
    private(set) var rules: [String: Int] = [:]

    init(_ course: PlantedCourse, rules: RuleSet, seeds: [UInt64]) throws {
        self.course = course
        for seed in seeds {
            let told = try CoursePlayer.play(course.course, rules: rules, seed: seed).first {
                $0.second >= min(course.onset, CoursePlayer.quiet) && $0.second >= course.onset - 7200
            }
            delays.append(told.map { $0.second - course.onset })
            if let told { self.rules[told.rule, default: 0] += 1 }
        }
    }

    /// The middle delay; infinite where most courses were missed.
    var median: Double { sorted[sorted.count / 2] }
    var latest: Double { sorted.last ?? .infinity }
    var missed: Int { delays.count { $0 == nil } }
    var isGoalMet: Bool { missed == 0 && (course.isGoalForAll ? latest : median) <= course.goal }

    private var sorted: [Double] { delays.map { $0 ?? .infinity }.sorted() }

    var row: String {
        let rule = rules.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key ?? "–"
        let mark = isGoalMet ? "" : " **missed**"
        let goal = Self.text(course.goal) + (course.isGoalForAll ? "" : " (median)")
        return
            "| \(course.course.name) | \(Self.text(median)) | \(Self.text(latest)) | \(missed) | \(goal)\(mark) | `\(rule)` | \(course.source) |"
    }

    static func text(_ seconds: Double) -> String {
        guard seconds.isFinite else { return "never" }
        return abs(seconds) < 120 ? "\(Int(seconds.rounded())) s" : "\((seconds / 6).rounded() / 10) min"
    }
}

/// The audible medical alarms of days on which nothing happens.
struct DrillBurden {
    static let header = "| people | days | medical alarms a day | worst day | goal | rules |\n|---|---|---|---|---|---|"

    let name: String
    /// Medical alarms a person-day at most.
    let goal: Double
    private var days: [Int] = []
    private var rules: [String: Int] = [:]

    init(name: String, goal: Double) {
        self.name = name
        self.goal = goal
    }

    mutating func add(_ course: VitalCourse, rules set: RuleSet, seed: UInt64) throws {
        let alarms = try CoursePlayer.play(course, rules: set, seed: seed).filter(\.isMedical)
        days.append(alarms.count)
        for alarm in alarms { rules[alarm.rule, default: 0] += 1 }
    }

    var mean: Double { days.isEmpty ? 0 : Double(days.reduce(0, +)) / Double(days.count) }
    var isGoalMet: Bool { mean <= goal }

    var rows: [String] {
        let worst = rules.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(6).map { "`\($0.key)` \($0.value)" }
        let mark = isGoalMet ? "" : " **missed**"
        let rate = (mean * 100).rounded() / 100
        return ["| \(name) | \(days.count) | \(rate) | \(days.max() ?? 0) | \(goal)\(mark) | \(worst.joined(separator: ", ")) |"]
    }
}
