import Testing

@testable import Signals

/// At 100 samples a second: 12 before and 3 after a burst's peak, the mean of ten on either side.
@Suite("The R peak of a burst")
struct PeakFinderTests {
    private func finder(_ samples: [Int: Float], level: Float = 0) -> PeakFinder {
        var finder = PeakFinder(rate: 100)
        finder.restart(level: level)
        for (position, value) in samples { finder.push(value, at: Int64(position)) }
        return finder
    }

    @Test(
        "lies from 120 ms before the burst's peak to 30 ms after",
        arguments: [(-13, false), (-12, true), (-5, true), (-1, true), (2, true), (3, false)])
    func reach(from peak: Int, isFound: Bool) {
        let found = finder([1000 + peak: 5, 1000: 1]).find(near: 1000)
        #expect((found.position == 1000 + Int64(peak)) == isFound)
    }

    /// The mean of the 20 around it, with itself: 2 in 20 of 1 and the rest nought.
    @Test("is the sample furthest from the mean around it, upwards or downwards, the first of equals")
    func deflection() {
        let up = finder([995: 2, 998: 1]).find(near: 1000)
        #expect(up.position == 995 && abs(up.deflection - (2 - 3 / 20)) < 1e-6)
        let down = finder([995: 2, 998: -2.5]).find(near: 1000)
        #expect(down.position == 998 && abs(down.deflection - (-2.5 + 0.5 / 20)) < 1e-6)
        #expect(finder([990: 2, 996: 2]).find(near: 1000).position == 990)
        let flat = finder([:], level: 3).find(near: 1000)
        #expect(flat.position == 1000 && flat.deflection == 0)
    }

    @Test("is found with the mean that moves along: the plain one at each place")
    func moving() {
        let values = (0..<60).map { (index: Int) -> Float in
            let jagged = Float((index * 37) % 23), slope = 0.25 * Float(index)
            return jagged + slope - 11
        }
        let finder = finder(Dictionary(uniqueKeysWithValues: values.indices.map { ($0, values[$0]) }))
        for peak in 24..<46 {
            var best = (position: peak, deflection: Float(0))
            for index in (peak - 12)..<(peak + 3) {
                let mean: Float = values[(index - 10)..<(index + 10)].reduce(0, +) / 20
                if abs(values[index] - mean) > abs(best.deflection) + 1e-5 { best = (index, values[index] - mean) }
            }
            let found = finder.find(near: Int64(peak))
            #expect(found.position == Int64(best.position) && abs(found.deflection - best.deflection) < 1e-4)
            let around: Float = values[(peak - 10)..<(peak + 10)].reduce(0, +) / 20
            let own = values[peak] - around
            #expect(abs(finder.deflection(at: Int64(peak)) - own) < 1e-4)
            for width in [1, 2, 5, 8] {
                let part = values[(peak - width / 2)..<(peak - width / 2 + width)]
                let mean: Float = part.reduce(0, +) / Float(width)
                #expect(abs(finder.mean(around: peak, width: width) - mean) < 1e-4)
            }
        }
    }

    @Test("is looked for in the last four seconds, as many as a power of two holds")
    func capacity() {
        #expect(PeakFinder(rate: 100).capacity == 512 && PeakFinder(rate: 128).capacity == 512 && PeakFinder(rate: 250).capacity == 1024)
        var finder = finder([:])
        finder.push(7, at: 1000)
        finder.push(9, at: 1000 + 512)
        #expect(finder.mean(around: 1000, width: 1) == 9)
    }
}
