import Testing

@testable import AlertRules

@Suite("Conditions of several parts")
struct ConditionTests {
    private static let values: [Truth] = [.no, .unknown, .yes]

    private func truth(_ condition: Condition, _ leaves: [Truth]) -> Truth {
        condition.truth(isStrict: false, leaf: { index, _ in leaves[index] }, alert: { _ in .unknown })
    }

    /// What holds however the unknown parts turn out is known; all else is unknown.
    private func expected(_ leaves: [Truth], _ holds: ([Bool]) -> Bool) -> Truth {
        var outcomes = Set<Bool>()
        for bits in 0..<(1 << leaves.count) {
            let guess = leaves.enumerated().map { $1 == .unknown ? bits >> $0 & 1 == 1 : $1 == .yes }
            outcomes.insert(holds(guess))
        }
        return outcomes.count == 2 ? .unknown : outcomes.contains(true) ? .yes : .no
    }

    @Test("are known as soon as no unknown part can change them")
    func kleene() {
        let parts = (0..<3).map { Condition.leaf($0) }
        for first in Self.values {
            for second in Self.values {
                for third in Self.values {
                    let leaves = [first, second, third]
                    #expect(truth(.all(parts), leaves) == expected(leaves) { !$0.contains(false) }, "all of \(leaves)")
                    #expect(truth(.any(parts), leaves) == expected(leaves) { $0.contains(true) }, "any of \(leaves)")
                    #expect(truth(.not(.all(parts)), leaves) == expected(leaves) { $0.contains(false) }, "not all of \(leaves)")
                    for count in 1...3 {
                        let condition = Condition.atLeast(count, parts)
                        #expect(
                            truth(condition, leaves) == expected(leaves) { $0.count(where: \.self) >= count }, "\(count) of \(leaves)")
                    }
                }
            }
        }
    }

    @Test("are strict in their parts, but not below a not")
    func strict() {
        let condition = Condition.all([.leaf(0), .not(.leaf(1))])
        var asked: [String] = []
        _ = condition.truth(
            isStrict: true,
            leaf: { index, isStrict in
                asked.append("\(index) \(isStrict)")
                return .yes
            }, alert: { _ in .yes })
        #expect(asked == ["0 true", "1 false"])
    }

    /// Leaves with their truths and the times of their newest readings: `yes 10`.
    private func beginning(_ condition: Condition, _ leaves: [(Truth, Int64)]) -> String {
        let (truth, time) = condition.beginning(isStrict: true, leaf: { index, _ in leaves[index] }, alert: { _ in .yes })
        return time == .min ? "\(truth)" : "\(truth) \(time)"
    }

    @Test("are of the last reading that all of it needs, and of the first that is enough for any of it")
    func beginnings() {
        let parts = (0..<3).map { Condition.leaf($0) }
        let holds: [(Truth, Int64)] = [(.yes, 20), (.yes, 10), (.yes, 30)]
        let fails: [(Truth, Int64)] = [(.no, 20), (.no, 10), (.no, 30)]
        let rows: [(Condition, [(Truth, Int64)], String)] = [
            (.all(parts), holds, "yes 30"), (.any(parts), holds, "yes 10"), (.atLeast(2, parts), holds, "yes 20"),
            (.all(parts), fails, "no 10"), (.any(parts), fails, "no 30"), (.atLeast(2, parts), fails, "no 20"),
            (.not(.all(parts)), holds, "no 30"), (.not(.any(parts)), fails, "yes 30"),
            (.all(parts), [(.yes, 20), (.unknown, 10), (.yes, 30)], "unknown"),
            (.any(parts), [(.no, 20), (.unknown, 10), (.no, 30)], "unknown"),
            (.any(parts), [(.no, 20), (.yes, 10), (.unknown, 30)], "yes 10"),
            (.all(parts), [(.yes, 20), (.no, 10), (.unknown, 30)], "no 10"),
            (.all([.leaf(1), .alert(0)]), holds, "yes 10"), (.alert(0), holds, "yes"),
            (.all([.leaf(0), .any([.leaf(1), .leaf(2)])]), holds, "yes 20"),
        ]
        for (condition, leaves, wanted) in rows { #expect(beginning(condition, leaves) == wanted, "\(condition)") }
    }
}
