import Testing

@testable import AlertRules

@Suite("Comparisons")
struct ComparisonTests {
    private static func threshold(_ limit: Double) -> Threshold { Threshold(slot: 0, standard: limit) }

    private static func leaf(_ comparison: Comparison) -> Leaf {
        Leaf(metric: 0, quantity: .value, comparison: comparison, slack: 2, staleAfter: 0, quality: nil, memory: nil)
    }

    @Test(
        "with one limit hold beyond it, and with a dead band until the value came back by it",
        arguments: [
            (.above(threshold(10), orEqual: false), [11, 12], [9, 10, 11, 12]),
            (.above(threshold(10), orEqual: true), [10, 11, 12], [8, 9, 10, 11, 12]),
            (.below(threshold(10), orEqual: false), [7, 8, 9], [7, 8, 9, 10, 11]),
            (.below(threshold(10), orEqual: true), [7, 8, 9, 10], [7, 8, 9, 10, 11, 12]),
        ] as [(Comparison, [Double], [Double])])
    func single(comparison: Comparison, strict: [Double], within: [Double]) {
        let plan = LeafPlan(Self.leaf(comparison))
        for (slack, wanted) in [(0, strict), (2, within)] as [(Double, [Double])] {
            let values = (7...12).map(Double.init)
            #expect(values.filter { comparison.isSatisfied(by: $0, slack: slack, limit: \.standard) } == wanted)
            #expect(values.filter { plan.isSatisfied(by: $0, limit: plan.standard, slack: slack) } == wanted, "the plan")
        }
    }

    @Test(
        "with two limits hold outside or inside them, and with a dead band until the value came back by it",
        arguments: [
            (.outside(threshold(10), threshold(20)), [6, 7, 8, 9, 21, 22, 23, 24], [6, 7, 8, 9, 10, 11, 19, 20, 21, 22, 23, 24]),
            (.inside(threshold(10), threshold(20)), Array(10...20), Array(8...22)),
            (.oneOf([7, 12]), [7, 12], [7, 12]),
            (.silent(.init(after: 1, continuous: 0, isExpected: false)), [], []),
        ] as [(Comparison, [Int], [Int])])
    func others(comparison: Comparison, strict: [Int], within: [Int]) {
        for (slack, wanted) in [(0, strict), (2, within)] as [(Double, [Int])] {
            #expect((6...24).filter { comparison.isSatisfied(by: Double($0), slack: slack, limit: \.standard) } == wanted)
        }
        #expect(LeafPlan(Self.leaf(comparison)).test == .other)
    }

    @Test(
        "grow worse by as much as the value goes farther from the limit that it is beyond",
        arguments: [
            (.above(threshold(10), orEqual: false), 12, 15, 3), (.above(threshold(10), orEqual: false), 15, 12, -3),
            (.below(threshold(10), orEqual: true), 8, 5, 3), (.below(threshold(10), orEqual: true), 5, 8, -3),
            (.outside(threshold(10), threshold(20)), 22, 27, 5), (.outside(threshold(10), threshold(20)), 9, 4, 5),
            (.outside(threshold(10), threshold(20)), 22, 4, 4), (.outside(threshold(10), threshold(20)), 4, 22, -4),
            (.inside(threshold(10), threshold(20)), 12, 15, nil), (.oneOf([1]), 1, 2, nil),
        ] as [(Comparison, Double, Double, Double?)])
    func worsening(comparison: Comparison, old: Double, new: Double, wanted: Double?) {
        #expect(comparison.worsening(from: old, to: new, limit: \.standard) == wanted)
    }
}
