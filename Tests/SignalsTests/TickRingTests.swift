import Testing

@testable import Signals

@Suite("The last seconds of a series")
struct TickRingTests {
    @Test(
        "are as many as the next power of two holds", arguments: [(1, 1), (2, 2), (3, 4), (4, 4), (5, 8), (16, 16), (17, 32), (240, 256)])
    func capacity(asked: Int, given: Int) { #expect(TickRing(capacity: asked).capacity == given && asked.roundedUpToPowerOfTwo == given) }

    @Test("give sums of products of any length, wherever they start, as adding one by one does")
    func sums() {
        var ring = TickRing(capacity: 16)
        let values = (0..<40).map { Float(($0 * 7) % 11 - 5) }
        for tick in values.indices { ring[tick] = values[tick] }
        for start in 24..<40 {
            #expect(ring[start] == values[start])
            for count in 0...(40 - start) {
                let others = (0..<count).map { Float($0 % 3 + 1) }
                let part = values[start..<(start + count)]
                #expect(ring.product(from: start, with: others.span) == zip(part, others).reduce(0) { $0 + $1.0 * $1.1 })
                #expect(abs(ring.energy(from: start, count: count) - part.reduce(0) { $0 + $1 * $1 }) < 1e-3)
            }
        }
        #expect(ring.energy(from: 24, count: 0) > 0)
        ring.clear()
        #expect((0..<32).allSatisfy { ring[$0] == 0 } && ring.energy(from: 20, count: 16) == 1e-12)
    }
}
