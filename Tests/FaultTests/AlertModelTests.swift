import FaultInjection
import SuiteHarness
import Testing

@Suite("What a fault run expects")
struct AlertModelTests {
    private func texts(_ values: [(Int, Double)], _ rule: String) -> [String] {
        var model = AlertModel()
        for (second, value) in values { model.take(second: second, value: value) }
        return model.steps(rule).map(\.description)
    }

    @Test("is an alert that ends where the value is low enough, not where it dips")
    func deadBand() {
        #expect(texts([(0, 95), (1, 96), (2, 92), (3, 97), (4, 90)], "high") == ["raised at 1, 96.0", "cleared at 4, 90.0"])
    }

    @Test("is a delay in the readings' own time, which a late reading can interrupt but not run out")
    func delay() {
        #expect(texts([(0, 91), (2, 92), (3, 93)], "long") == ["pending at 0, 91.0", "raised at 3, 93.0"])
        #expect(texts([(0, 91), (2, 92), (1, 60), (3, 93), (4, 93)], "long") == ["pending at 0, 91.0", "raised at 4, 93.0"])
        #expect(texts([(0, 91), (1, 60)], "long") == ["pending at 0, 91.0", "cancelled at 1, 60.0"])
    }

    @Test("is a crossing that came late too, once, and only of a time of which nothing was told")
    func lateCrossing() {
        #expect(texts([(1, 60), (0, 99), (2, 61)], "high") == ["raised at 0, 99.0", "cleared at 1, 60.0"])
        #expect(texts([(0, 99), (2, 60), (1, 98)], "high") == ["raised at 0, 99.0", "cleared at 2, 60.0"])
        #expect(texts([(1, 97), (0, 99)], "high") == ["raised at 1, 97.0"])
    }

    @Test("is every reading once, whatever messages change places")
    func permutation() {
        let readings = NumberedReadings(base: 0, participants: 7)
        let load = DeviceLoad(readings: readings, messages: 140, perMessage: 5, seed: 3, reorder: 200)
        let numbers = (0..<7).flatMap { load.numbers(of: $0) }
        #expect(numbers.sorted() == Array(0..<700))
        #expect(numbers != (0..<7).flatMap { person in (0..<100).map { $0 * 7 + person } })
    }
}
