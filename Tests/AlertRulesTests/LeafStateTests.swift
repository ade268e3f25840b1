import Testing

@testable import AlertRules

@Suite("The habit of a series")
struct LeafStateTests {
    @Test("is learnt from the gaps: shorter ones count half, longer ones an eighth and at most four times the usual")
    func habit() {
        var state = LeafState()
        // The gaps in microseconds, and the usual interval after each in milliseconds.
        let rows: [(gap: Int64, interval: UInt32, gaps: UInt8)] = [
            (0, 0, 0), (-5, 0, 0), (60_000_000, 60_000, 1), (20_000_000, 40_000, 2), (120_000_000, 50_000, 3),
            // 1000 s count as 200 s.
            (1_000_000_000, 68_750, 4), (0, 68_750, 4), (-1, 68_750, 4), (68_750_000, 68_750, 5),
            // Under a millisecond counts as one.
            (999, 34_376, 6),
        ]
        for row in rows {
            state.learn(gap: row.gap)
            #expect(state.interval == row.interval && state.gaps == row.gaps, "after a gap of \(row.gap) µs")
        }
        for _ in 0..<300 { state.learn(gap: 1_000_000) }
        #expect(state.gaps == 255 && state.interval == 1001, "each step halves the distance, rounded down")
    }

    @Test(
        "is known after two gaps, and lets three of them pass", arguments: [(0, 0), (1, 0), (2, 21_000), (3, 21_000)] as [(UInt8, Int64)])
    func usualSilence(gaps: UInt8, silence: Int64) {
        #expect(LeafState(gaps: gaps, interval: 7).usualSilence == silence)
    }

    /// When a series that ran from `run` until 1000 and was unseen for 2 ms counts as silent.
    @Test(
        "a silence is due after the rule's time or the usual one, and the time in which nobody looked",
        arguments: [
            // Ran for just as long as asked, and one less.
            (400, 600, false, 5000, UInt32(0), 8000), (401, 600, false, 5000, 0, nil), (401, 600, true, 5000, 0, 8000),
            (1000, 0, false, 5000, 0, 8000),
            // Three intervals of 1 ms; of 3 ms, which are longer.
            (400, 600, false, 5000, 1, 8000), (400, 600, false, 5000, 3, 12_000),
        ] as [(Int64, Int64, Bool, Int64, UInt32, Int64?)])
    func silence(run: Int64, continuous: Int64, isExpected: Bool, after: Int64, interval: UInt32, due: Int64?) {
        let state = LeafState(arrival: 1000, gaps: 2, interval: interval, runClock: run, unseen: 2)
        let silence = Comparison.Silence(after: after, continuous: continuous, isExpected: isExpected)
        #expect(state.silent(silence) == due)
    }

    @Test("nothing is known before a first reading")
    func seen() {
        #expect(!LeafState().isSeen && LeafState(arrival: 0).isSeen)
    }
}

@Suite("An alert's state")
struct AlertStateTests {
    @Test("is acknowledged by whoever acknowledged something as bad")
    func acknowledged() {
        for severity in Severity.allCases {
            for acknowledged in Severity.allCases {
                let state = AlertState(phase: .active, severity: severity, acknowledged: acknowledged)
                #expect(state.isAcknowledged == (acknowledged != .none && acknowledged.rawValue >= severity.rawValue))
                for until in [0, 1] as [Int64] {
                    let silenced = AlertState(severity: severity, silence: acknowledged, silencedUntil: until)
                    #expect(silenced.isSilenced == (until == 1 && severity.rawValue <= acknowledged.rawValue))
                }
            }
        }
        #expect([.none, .pending, .active].map { AlertState(phase: $0).isActive } == [false, false, true])
    }

    @Test("is kept in bits that mean the same tomorrow")
    func bits() {
        let flags: [AlertState.Flags] = [.recovered, .inhibited, .dataLost, .excluded]
        #expect(flags.map(\.rawValue) == [1, 2, 4, 8])
        #expect(AlertState.Flags.all.rawValue == 15)
        #expect(Severity.allCases.map(\.rawValue) == [0, 1, 2, 3])
        #expect(StateLayout.current == 5)
    }
}
