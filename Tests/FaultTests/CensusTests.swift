import SuiteHarness
import Testing

@Suite("Census of numbered readings")
struct CensusTests {
    private let readings = NumberedReadings(base: 1000, participants: 2)

    private func add(_ number: Int, to census: inout Census, value: Double? = nil) {
        let row = number / 2
        census.add(
            participant: "bench-00\(number % 2)", metric: NumberedReadings.metrics[row % 4], second: 1000 + Int64(row / 4),
            value: value ?? readings.value(number))
    }

    @Test("is perfect only with every number once, as sent")
    func perfect() {
        var census = Census(readings, expected: 20)
        for number in 0..<19 { add(number, to: &census) }
        #expect(!census.isPerfect)
        #expect(census.missing == [19])
        add(19, to: &census)
        #expect(census.isPerfect)
    }

    @Test("sees what is stored twice, altered, or never sent")
    func imperfect() {
        var census = Census(readings, expected: 2)
        add(0, to: &census)
        add(0, to: &census)
        add(1, to: &census, value: -1)
        add(2, to: &census)
        census.add(participant: "somebody", metric: "heart-rate", second: 1000, value: 60)
        #expect(census.repeated == 1)
        #expect(census.altered == 1)
        #expect(census.foreign == 2)
    }
}
