import Testing

@testable import Signals

/// At 100 samples a second; a highest point counts more than a second behind the last, or more than half a second where the wave is of full size.
@Suite("Waves that come close behind another")
struct CloseWavesTests {
    /// A highest point or a lowest one.
    private typealias Corner = (position: Int, value: Double)

    private func zigzag() -> Zigzag { Zigzag(rate: 100, shortest: 1, least: 0.5, memory: 1e9, share: 0.2) }

    /// Follows the line through the corners, from where it stands up to the last of them.
    private func follow(_ zigzag: inout Zigzag, _ corners: [Corner], _ note: (Int, Breath?, Zigzag) -> Void) {
        for (from, to) in zip(corners, corners.dropFirst()) {
            for position in from.position..<to.position {
                let share = Double(position - from.position) / Double(to.position - from.position)
                let breath = zigzag.step(from.value + share * (to.value - from.value), at: Int64(position))
                note(position, breath, zigzag)
            }
        }
    }

    /// A line from 0 on with these highest points, and with 0 midway between two of them and at the end.
    private func waves(_ tops: [Corner], from start: Int = 0) -> [Corner] {
        let middles = zip(tops, tops.dropFirst()).map { Corner(($0.position + $1.position) / 2, 0) }
        let ends = middles + [((tops.last?.position ?? 0) + 40, 0)]
        return [(start, 0)] + zip(tops, ends).flatMap { [$0, $1] }
    }

    private func told(_ zigzag: inout Zigzag, _ corners: [Corner]) -> [Int64] {
        var found: [Int64] = []
        follow(&zigzag, corners) { _, breath, _ in if let breath { found.append(breath.position) } }
        return found
    }

    /// Pairs of waves every four seconds from 100 on, the second so far behind the first and so high.
    private func pairs(_ numbers: ClosedRange<Int>, _ distance: Int, height: Double = 1) -> [Corner] {
        numbers.flatMap { [(100 + 400 * $0, 1), (100 + 400 * $0 + distance, height)] }
    }

    /// The first wave of all is never told, and the second of the first pair is the first that is. Of the four pairs after it each has one close
    /// behind: from the fourth on it counts, if it is more than half a second away.
    @Test(
        "count from the fourth in a row on that has another behind it, and not within the least time",
        arguments: [(30, [], true), (50, [], true), (51, [4, 5, 6], false), (100, [4, 5, 6], false), (101, [1, 2, 3, 4, 5, 6], false)]
            as [(Int, [Int], Bool)])
    func row(distance: Int, seconds: [Int], isTooFast: Bool) {
        var zigzag = zigzag()
        let found = told(&zigzag, waves(pairs(0...6, distance)))
        let firsts = (1...6).map { 100 + 400 * $0 }, others = ([0] + seconds).map { 100 + 400 * $0 + distance }
        #expect(found == (firsts + others).sorted().map(Int64.init))
        #expect(zigzag.isTooFast == isTooFast)
    }

    @Test("are too fast to be told apart from the fourth in a row on, until two come without one behind", arguments: [30, 50])
    func tooFast(distance: Int) {
        var zigzag = zigzag(), changes: [Int] = [], was = false
        let single = (7...9).map { Corner(100 + 400 * $0, 1) }
        follow(&zigzag, waves(pairs(0...6, distance) + single)) { position, _, zigzag in
            if zigzag.isTooFast != was { changes.append(position) }
            was = zigzag.isTooFast
        }
        // Told at the turn: the fourth pair's second wave is at 1700 and so far behind; the second single wave is at 3300.
        #expect(changes.count == 2 && (1700 + distance..<1900).contains(changes[0]) && (3300..<3500).contains(changes[1]), "\(changes)")
    }

    @Test("begin a new row behind one that has none, and at a new start")
    func broken() {
        var zigzag = zigzag()
        let corners = waves(pairs(0...3, 60) + [(1700, 1)] + pairs(5...9, 60))
        // The single wave at 1700 ends a row of three; the next is four long with that at 3300.
        #expect(told(&zigzag, corners) == [160, 500, 900, 1300, 1700, 2100, 2500, 2900, 3300, 3360, 3700, 3760])
        zigzag.restart()
        #expect(told(&zigzag, waves(pairs(10...14, 60), from: 4050)) == [4100, 4500, 4900, 5300, 5360, 5700, 5760])
        #expect(!zigzag.isTooFast)
        var fast = self.zigzag()
        _ = told(&fast, waves(pairs(0...6, 40)))
        #expect(fast.isTooFast)
        fast.restart()
        #expect(!fast.isTooFast)
    }

    /// Of eight swings four are 1: the upper of the two in the middle, of which 0.7 is wanted.
    @Test("are none where they are smaller than 0.7 of the usual", arguments: [(0.69, false), (0.71, true)])
    func size(height: Double, isFull: Bool) {
        var zigzag = zigzag()
        let found = told(&zigzag, waves(pairs(0...6, 60, height: height)))
        #expect(found.contains(1760) == isFull && found.contains(2560) == isFull && found.contains(1700))
        var fast = self.zigzag()
        _ = told(&fast, waves(pairs(0...6, 40, height: height)))
        #expect(fast.isTooFast == isFull)
    }

    @Test("need the whole second where nothing else was said")
    func plain() {
        var zigzag = Zigzag(rate: 100, shortest: 1, memory: 1e9, share: 0.2)
        #expect(told(&zigzag, waves(pairs(0...6, 60))) == [160] + (1...6).map { Int64(100 + 400 * $0) } && zigzag.isTooFast)
    }

    // MARK: Waves that the range hides

    /// Three waves of 6, one of 60, and others behind it, which are no turn to a range of 60: 0.15 of it is 9.
    private func hidden(_ more: [Corner]) -> [Corner] { waves([(100, 6), (300, 6), (500, 6), (700, 60)] + more) }

    /// Where the last wave may have been one that did not count, after each of a line's lowest points.
    private func passedOver(_ corners: [Corner]) -> [Int64?] {
        var zigzag = zigzag(), found: [Int64?] = []
        let ends = Set(corners.indices.filter { $0 % 2 == 0 && $0 > 0 }.map { corners[$0].position - 1 })
        follow(&zigzag, corners) { position, _, zigzag in if ends.contains(position) { found.append(zigzag.passedOver) } }
        return found
    }

    @Test("are passed over that are too small for the range, not for the usual wave, more than a second behind the last that counted")
    func smaller() {
        #expect(passedOver(hidden([(900, 6), (1100, 6)])) == [nil, nil, nil, nil, 900, 1100])
        // A fifth of the usual 6 is 1.2.
        #expect(passedOver(hidden([(900, 1.1)])).last == .some(nil) && passedOver(hidden([(900, 1.3)])).last == 900)
        #expect(passedOver(hidden([(800, 6)])).last == .some(nil) && passedOver(hidden([(801, 6)])).last == 801)
        #expect(passedOver(hidden([(900, 6), (1100, 60)])).last == .some(nil))
    }

    @Test("make it unknown how many waves came before the next one, once")
    func next() {
        var zigzag = zigzag(), found: [Breath] = []
        let corners = hidden([(900, 6), (1100, 6), (1300, 60), (1500, 60), (1700, 6), (1900, 60), (2100, 60)])
        follow(&zigzag, corners) { _, breath, _ in if let breath { found.append(breath) } }
        #expect(found.map(\.position) == [300, 500, 700, 1300, 1500, 1900, 2100])
        // At 1700 three of the six before were as large as the usual wave: 6 is less than a fifth of it.
        #expect(found.map(\.isNext) == [true, true, true, false, true, true, true])
    }

    /// From 60 down to 50 in steps, with waves of 4 on them, and only then to 0: the highest point is told when two others are behind it.
    @Test("that came before a wave was certain remain, and those of a former signal do not")
    func remaining() {
        var zigzag = zigzag()
        let steps: [Corner] = [(760, 52), (800, 56), (860, 52), (900, 56), (960, 52), (1000, 56), (1100, 0)]
        let start = waves([(100, 6), (300, 6), (500, 6)]).dropLast() + [(600, 0), (700, 60)]
        follow(&zigzag, Array(start) + steps) { _, _, _ in }
        // At 800 it is too close behind, at 900 and 1000 not.
        #expect(zigzag.passedOver == 1000)
        zigzag.restart()
        #expect(zigzag.passedOver == nil)
    }
}
