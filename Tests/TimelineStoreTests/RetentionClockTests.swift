import Testing
import TimelineStore
import VigilSchema

@Suite("The clock by which retention runs")
struct RetentionClockTests {
    private static let (hour, day): (Double, Double) = (3600, 86_400)

    /// A look at the clock after some running time.
    private struct Look {
        var clock: Double
        var ran: Double
    }

    /// Whether each look was believed; seconds since `start`.
    private func verdicts(_ clock: inout RetentionClock, _ looks: [Look]) -> [Bool] {
        looks.map { clock.judge(start.advanced(bySeconds: $0.clock), ran: Int64($0.ran * 1e6)) == .believed }
    }

    /// A clock that is believed at `start`.
    private func believed() -> RetentionClock {
        var clock = RetentionClock()
        #expect(verdicts(&clock, [Look(clock: -3 * Self.day, ran: 60), Look(clock: 0, ran: 3 * Self.day)]) == [false, true])
        return clock
    }

    @Test("one that nobody has asked is believed after three days of running")
    func first() {
        var clock = RetentionClock()
        #expect(clock.judge(start, ran: 60_000_000) == .untried(259_200_000_000))
        #expect(clock.judge(start.advanced(bySeconds: Self.day), ran: 86_400_000_000) == .untried(172_800_000_000))
        #expect(clock.judge(start.advanced(bySeconds: 3 * Self.day), ran: 172_799_999_999) == .untried(1))
        #expect(clock.judge(start.advanced(bySeconds: 3 * Self.day), ran: 1) == .believed)
    }

    @Test(
        "one that goes on is believed, over a week switched off, a week back, and as long as the process ran; one beyond is not",
        arguments: [
            (7 * 86_400, 0, true), (7 * 86_400 + 1, 0, false), (7 * 86_400 + 1, 1, true), (30 * 86_400, 23 * 86_400, true),
            (-7 * 86_400, 0, true), (-7 * 86_400 - 1, 0, false), (30 * 365 * 86_400, 3600, false),
        ] as [(Double, Double, Bool)])
    func goesOn(_ clockAhead: Double, _ ran: Double, _ isBelieved: Bool) {
        var clock = believed()
        #expect(verdicts(&clock, [Look(clock: clockAhead, ran: ran)]) == [isBelieved])
    }

    @Test("thirty years ahead at each of many starts is never believed, as the clock is right an hour later")
    func starts() {
        var clock = believed()
        for day in 1...200 {
            let now = Double(day) * Self.day
            let looks = [
                Look(clock: now + 30 * 365 * Self.day, ran: 60), Look(clock: now + 30 * 365 * Self.day, ran: 3600),
                Look(clock: now, ran: 3600),
            ]
            #expect(verdicts(&clock, looks) == [false, false, true])
        }
    }

    @Test("after a month switched off it is believed once it ran for three days, in pieces too, or leaps anew")
    func monthOff() {
        var clock = believed()
        func look(_ days: Double, _ ran: Double) -> Look { Look(clock: days * Self.day, ran: ran * Self.day) }
        #expect(verdicts(&clock, [look(30, 0), look(31, 1), look(45, 1), look(60, 0.99)]) == [false, false, false, false])
        var other = clock
        #expect(verdicts(&clock, [look(129, 0.01), look(130, 1)]) == [true, true])
        #expect(verdicts(&other, [look(131, 0.01), look(132, 1), look(134, 2)]) == [false, false, true])
    }

    @Test("what was judged is kept by the store, for whoever runs next", arguments: StoreKind.allCases)
    func kept(_ kind: StoreKind) async throws {
        try await kind.withStores(2) { stores async throws in
            #expect(try await stores[0].judgeClock(start, ran: .zero) == .untried(259_200_000_000))
            #expect(try await stores[1].judgeClock(start, ran: .seconds(86_400.5)) == .untried(172_799_500_000))
            #expect(try await stores[0].judgeClock(start, ran: .seconds(2 * 86_400)) == .believed)
            #expect(try await stores[1].judgeClock(start.advanced(bySeconds: 8 * Self.day), ran: .zero) == .doubted(259_200_000_000))
            #expect(try await stores[0].judgeClock(start.advanced(bySeconds: Self.day), ran: .zero) == .believed)
        }
    }
}
