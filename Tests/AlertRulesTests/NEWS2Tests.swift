import AlertRules
import Testing

/// Every boundary of every row of the Royal College of Physicians' chart, from both sides.
@Suite("NEWS2")
struct NEWS2Tests {
    @Test(
        "rounds a temperature to tenths before it looks it up",
        arguments: [(38.04, 0), (38.05, 1), (35.05, 1), (35.04, 3), (39.05, 2), (39.04, 1), (36.05, 0)])
    func temperatures(celsius: Double, points: Int) {
        var vitals = NEWS2.Vitals()
        vitals.temperature = celsius
        #expect(NEWS2.score(vitals).points[.temperature] == points)
    }

    @Test("takes half a litre of oxygen a minute for oxygen, and less for air", arguments: [(0.49, 0, 0), (0.5, 2, 3)])
    func oxygen(litres: Double, points: Int, saturation: Int) {
        var vitals = NEWS2.Vitals()
        (vitals.oxygen, vitals.saturation, vitals.usesScale2) = (litres, 97, true)
        let score = NEWS2.score(vitals)
        #expect(score.points[.oxygen] == points && score.points[.saturation] == saturation)
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let parameter: NEWS2.Parameter
        let value: Double
        let points: Int
        var scale2 = false
        var oxygen = 0.0
        var testDescription: String { "\(parameter) \(value)\(scale2 ? " scale 2, oxygen \(oxygen)" : "") → \(points)" }
    }

    static let respiration: [Row] = [
        (1, 3), (8, 3), (8.4, 3), (8.5, 1), (9, 1), (11, 1), (11.4, 1), (12, 0), (20, 0), (20.4, 0), (20.5, 2), (21, 2), (24, 2), (25, 3),
        (60, 3),
    ].map { Row(parameter: .respiration, value: $0.0, points: $0.1) }

    static let scale1: [Row] = [
        (70, 3), (91, 3), (91.4, 3), (91.5, 2), (92, 2), (93, 2), (94, 1), (95, 1), (95.5, 0), (96, 0), (100, 0),
    ].map { Row(parameter: .saturation, value: $0.0, points: $0.1) }

    static let scale2Air: [Row] = [
        (70, 3), (83, 3), (84, 2), (85, 2), (86, 1), (87, 1), (88, 0), (92, 0), (93, 0), (95, 0), (97, 0), (100, 0),
    ].map { Row(parameter: .saturation, value: $0.0, points: $0.1, scale2: true) }

    static let scale2Oxygen: [Row] = [
        (83, 3), (84, 2), (85, 2), (86, 1), (87, 1), (88, 0), (92, 0), (93, 1), (94, 1), (95, 2), (96, 2), (97, 3), (100, 3),
    ].map { Row(parameter: .saturation, value: $0.0, points: $0.1, scale2: true, oxygen: 1) }

    static let systolic: [Row] = [
        (50, 3), (90, 3), (90.4, 3), (91, 2), (100, 2), (101, 1), (110, 1), (111, 0), (219, 0), (219.5, 3), (220, 3), (250, 3),
    ].map { Row(parameter: .systolic, value: $0.0, points: $0.1) }

    static let pulse: [Row] = [
        (20, 3), (40, 3), (41, 1), (50, 1), (51, 0), (90, 0), (91, 1), (110, 1), (111, 2), (130, 2), (131, 3), (200, 3),
    ].map { Row(parameter: .pulse, value: $0.0, points: $0.1) }

    static let temperature: [Row] = [
        (34.0, 3), (35.0, 3), (35.04, 3), (35.1, 1), (36.0, 1), (36.04, 1), (36.1, 0), (38.0, 0), (38.04, 0), (38.1, 1), (39.0, 1),
        (39.04, 1),
        (39.1, 2), (41.0, 2),
    ].map { Row(parameter: .temperature, value: $0.0, points: $0.1) }

    @Test(
        "gives each value the points of the chart",
        arguments: [respiration, scale1, scale2Air, scale2Oxygen, systolic, pulse, temperature].joined())
    func points(row: Row) {
        var vitals = NEWS2.Vitals()
        vitals.usesScale2 = row.scale2
        vitals.oxygen = row.oxygen
        switch row.parameter {
        case .respiration: vitals.respiration = row.value
        case .saturation: vitals.saturation = row.value
        case .systolic: vitals.systolic = row.value
        case .pulse: vitals.pulse = row.value
        case .temperature: vitals.temperature = row.value
        case .oxygen, .consciousness: break
        }
        #expect(NEWS2.score(vitals).points[row.parameter] == row.points)
    }

    private var healthy: NEWS2.Vitals {
        var vitals = NEWS2.Vitals()
        vitals.respiration = 16
        vitals.saturation = 98
        vitals.oxygen = 0
        vitals.systolic = 120
        vitals.pulse = 70
        vitals.isAlert = true
        vitals.temperature = 37
        return vitals
    }

    @Test("scores a healthy person 0, low")
    func zero() {
        let result = NEWS2.score(healthy)
        #expect(result.total == 0 && result.isComplete && result.risk == "low")
    }

    @Test("gives two points for oxygen and three for anything but alert")
    func oxygenAndConsciousness() {
        var vitals = healthy
        vitals.oxygen = 1
        #expect(NEWS2.score(vitals).points[.oxygen] == 2)
        vitals.isAlert = false
        #expect(NEWS2.score(vitals).total == 5)
    }

    @Test(
        "calls a single 3 low-medium, 5 and 6 medium, 7 and more high",
        arguments: [
            (8.0, 70.0, 37.0, "low-medium"), (8, 95, 38.5, "medium"), (8, 120, 38.5, "medium"), (8, 131, 38.5, "high"),
            (22, 95, 38.5, "low"),
        ])
    func risk(respiration: Double, pulse: Double, temperature: Double, risk: String) {
        var vitals = healthy
        vitals.respiration = respiration
        vitals.pulse = pulse
        vitals.temperature = temperature
        #expect(NEWS2.score(vitals).risk == risk)
    }

    @Test("scores the worst of all 20, 3 a parameter and 2 for oxygen")
    func worst() {
        var vitals = NEWS2.Vitals()
        vitals.respiration = 30
        vitals.saturation = 80
        vitals.oxygen = 1
        vitals.systolic = 80
        vitals.pulse = 150
        vitals.isAlert = false
        vitals.temperature = 34
        #expect(NEWS2.score(vitals).total == 20)
    }

    @Test("names what is missing and still says the least that the score can be", arguments: NEWS2.Parameter.allCases)
    func incomplete(missing: NEWS2.Parameter) {
        var vitals = healthy
        vitals.pulse = missing == .pulse ? nil : 131
        switch missing {
        case .respiration: vitals.respiration = nil
        case .saturation: vitals.saturation = nil
        case .oxygen: vitals.oxygen = nil
        case .systolic: vitals.systolic = nil
        case .consciousness: vitals.isAlert = nil
        case .temperature: vitals.temperature = nil
        case .pulse: break
        }
        let result = NEWS2.score(vitals)
        #expect(result.missing == [missing])
        #expect(!result.isComplete)
        #expect(result.risk == (missing == .pulse ? "incomplete" : "low-medium"))
    }

    @Test("cannot score scale 2 above 92 % while it is unknown whether oxygen is given")
    func unknownOxygen() {
        var vitals = healthy
        vitals.usesScale2 = true
        vitals.oxygen = nil
        #expect(NEWS2.score(vitals).missing == [.saturation, .oxygen])
    }
}
