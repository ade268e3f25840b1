/// A score of a rule file's own: each input's value gives points by the band that it lies in, and the points are added.
package struct AdditiveScore: Hashable, Sendable {
    /// An input of the score.
    package struct Input: Hashable, Sendable {
        package let metric: String
        /// A value that was measured longer ago does not count, in microseconds.
        package let staleAfter: Int64
        package let points: Points
        /// Its place among the values that scores remember.
        var slot = -1
    }

    /// The points that values give.
    package enum Points: Hashable, Sendable {
        /// Bands of numbers by age, the youngest first; the last are those of everybody else.
        case bands([AgeBands], step: Double?)
        /// Texts, by their codes, and the points of any other.
        case texts([Int: Int], other: Int)
    }

    /// The bands of those who are younger than an age in years; nil: of everybody.
    package struct AgeBands: Hashable, Sendable {
        package let underAge: Double?
        package let bands: [Band]
    }

    /// A band of values that give the same points, up to its limit; the last has none.
    package struct Band: Hashable, Sendable {
        package let limit: Double
        package let includesLimit: Bool
        package let points: Int
    }

    /// The sum for one person at one time.
    package struct Result: Hashable, Sendable {
        /// The number of inputs that are known.
        package var known = 0
        package var total = 0
        /// The highest points of any one input.
        package var highest = 0
    }

    package let name: String
    /// The age groups that it is for; empty: all.
    package let ages: Set<AgeGroup>
    package let profiles: ProfileFilter
    /// With fewer inputs there is no score.
    package let minimumInputs: Int
    package internal(set) var inputs: [Input]

    /// The metric of the sum, and of the highest points of one input, which is only judged.
    package var metric: String { Self.metric(name) }
    package var highestMetric: String { metric + "-highest" }

    static func metric(_ name: String) -> String { "x-\(name)" }

    /// Tells whether it is for a person; somebody of unknown age counts as adult.
    func isFor(_ profile: PersonFacts, at time: Int64) -> Bool {
        (ages.isEmpty || ages.contains(profile.ageGroup(at: time) ?? .adult)) && profiles.contains(profile, at: time)
    }

    /// Adds the points of what is known.
    /// - Parameters:
    ///   - age: in years, where it is known.
    ///   - value: an input's value; nil: it is not known, or too old.
    package func result(age: Double?, value: (Input) -> Double?) -> Result {
        var result = Result()
        for input in inputs {
            guard let value = value(input) else { continue }
            let points = input.points.points(of: value, age: age)
            result.known += 1
            result.total += points
            result.highest = max(result.highest, points)
        }
        return result
    }
}

extension AdditiveScore.Points {
    /// The points of a value, for somebody of an age in years or of unknown age.
    package func points(of value: Double, age: Double?) -> Int {
        switch self {
        case .texts(let points, let other):
            return Int(exactly: value).flatMap { points[$0] } ?? other
        case .bands(let ages, let step):
            let bands = ages.first { limits in limits.underAge.map { years in age.map { $0 < years } ?? false } ?? true }?.bands ?? []
            return bands.first { $0.contains(value, step: step) }?.points ?? 0
        }
    }

    var isText: Bool { if case .texts = self { true } else { false } }
}

extension AdditiveScore.Band {
    /// Compares in whole steps where there are some: 38.05 must not become another tenth by the way a binary fraction is written.
    fileprivate func contains(_ value: Double, step: Double?) -> Bool {
        let (value, limit) = step.map { ((value / $0).rounded(), (self.limit / $0).rounded()) } ?? (value, self.limit)
        return value < limit || (includesLimit && value == limit)
    }
}
