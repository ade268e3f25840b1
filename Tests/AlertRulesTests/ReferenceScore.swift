/// A model of NEWS2 over three vital signs, written from the score's table and the documents: what is known and not too old is added up, and what
/// an alert owes to a value that has become too old ends nothing. The sum is a reading of its own, which `ReferenceModel` judges.
struct ReferenceScore {
    /// An input of both.
    enum Input: Sendable, CustomStringConvertible {
        /// A vital sign, and by how much its sensor's time lies before its receiving.
        case vital(Sign, Double, late: Int64)
        case other(ReferenceModel.Input)

        var description: String {
            switch self {
            case .vital(let sign, let value, let late): "\(sign)=\(Int(value))\(late == 0 ? "" : "(-\(late)s)")"
            case .other(let input): input.description
            }
        }
    }

    enum Sign: String, CaseIterable {
        case pulse = "heart-rate"
        case breathing = "respiration-rate"
        case pressure = "systolic-pressure"
    }

    private struct Known {
        let value: Double
        let time: Int64
        /// The time of measurement, on the clock of the machine.
        let measured: Int64
    }

    /// A vital sign counts for so many seconds.
    private let staleAfter: Int64
    private let maximumAge: Int64
    private var known: [Sign: Known] = [:]
    private var rule: ReferenceModel
    var log: [String] { rule.log }

    init(_ rule: ReferenceModel.Parameters, staleAfter: Int64, maximumAge: Int64, now: Int64) {
        self.rule = ReferenceModel(rule, now: now)
        (self.staleAfter, self.maximumAge) = (staleAfter, maximumAge)
    }

    mutating func take(_ input: Input) {
        switch input {
        case .vital(let sign, let value, let late): take(sign, value, late: late)
        case .other(let input): rule.take(input)
        }
    }

    private mutating func take(_ sign: Sign, _ value: Double, late: Int64) {
        let (now, time) = (rule.now, rule.now - late)
        if let before = known[sign], time < before.time, now - before.measured <= staleAfter { return }
        known[sign] = Known(value: value, time: time, measured: now - late)
        let fresh = known.filter { now - $0.value.measured <= staleAfter }
        guard let newest = fresh.values.map(\.time).max(), now - newest <= maximumAge else { return }
        let (sum, held) = (Self.sum(fresh), Self.sum(known))
        rule.read(sum, at: newest, held: held > sum ? held : nil)
    }

    private static func sum(_ known: [Sign: Known]) -> Double {
        Double(known.reduce(0) { $0 + points($1.key, $1.value.value) })
    }

    /// The table of the Royal College of Physicians, 2017: the upper end of each band and its points.
    private static func points(_ sign: Sign, _ value: Double) -> Int {
        let bands: [(upTo: Double, points: Int)] =
            switch sign {
            case .pulse: [(40, 3), (50, 1), (90, 0), (110, 1), (130, 2), (.infinity, 3)]
            case .breathing: [(8, 3), (11, 1), (20, 0), (24, 2), (.infinity, 3)]
            case .pressure: [(90, 3), (100, 2), (110, 1), (219, 0), (.infinity, 3)]
            }
        return bands.first { value <= $0.upTo }?.points ?? 0
    }
}
