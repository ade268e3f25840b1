import Testing

@testable import Signals

@Suite("Faults of a signal")
struct SignalIntegrityTests {
    /// A judgement of as many values as the window holds, one a pick.
    private func fault(of values: [Float], floor: Float = 0.5) -> SignalFault? {
        var integrity = integrity(window: values.count, floor: floor)
        for value in values { integrity.step(value) }
        return integrity.fault
    }

    /// At 64 samples a second a step of 1/64 s is one sample.
    private func integrity(window: Int, stride: Int = 1, floor: Float = 0.5) -> SignalIntegrity {
        SignalIntegrity(rate: 64, step: Double(stride) / 64, window: Double(window * stride) / 64, floor: floor)
    }

    /// Something that a body may send: rises of 0.1 up and down, that rests nowhere.
    private func body(_ count: Int) -> [Float] {
        (0..<count).map { index in
            let place = index % 20
            return Float(place < 10 ? place : 20 - place) / 10
        }
    }

    @Test("none is found where it rises and falls as a body's does")
    func none() { #expect(fault(of: body(60)) == nil) }

    @Test("flat is what moves less than the floor", arguments: [(0, true), (0.49, true), (0.5, false), (0.6, false)] as [(Float, Bool)])
    func flat(range: Float, isFlat: Bool) {
        for level in [-2, 0, 2] as [Float] {
            #expect((fault(of: body(60).map { level + range * $0 }, floor: level == 0 ? 0.5 : 0.4999) == .flat) == isFlat)
        }
    }

    @Test("is looked for from a third of the window on, at every sixth of it")
    func times() {
        var integrity = integrity(window: 60)
        let found = (1...40).map { count -> SignalFault? in
            integrity.step(count <= 20 ? 0 : Float(count % 7))
            #expect(integrity.isSound == (count >= 30))
            return integrity.fault
        }
        #expect(found[18] == nil && found[19..<29].allSatisfy { $0 == .flat } && found[29] == nil)
        integrity.restart()
        #expect(!integrity.isSound && integrity.fault == nil)
        let again = (1...20).map { _ -> SignalFault? in
            integrity.step(1)
            return integrity.fault
        }
        #expect(again.firstIndex(of: .flat) == 19)
    }

    @Test("is looked for in the last window only, however long it was good or bad before")
    func forgets() {
        var integrity = integrity(window: 60)
        for value in body(600) { integrity.step(value) }
        #expect(integrity.fault == nil)
        let until = (1...60).first { _ in
            integrity.step(1)
            return integrity.fault == .flat
        }
        // All that moves is out of sight after a whole window.
        #expect(until == 60)
    }

    @Test("is sound with a third of a window that carries something, cut off or not")
    func sound() {
        var integrity = integrity(window: 60)
        for (count, value) in body(60).enumerated() {
            #expect(integrity.isSound == (count >= 20) && !integrity.carriesNothing)
            integrity.step(value)
        }
        var clipped = self.integrity(window: 60)
        for value in body(60) { clipped.step(min(value, 0.7)) }
        #expect(clipped.fault == .clipped && clipped.isSound && !clipped.carriesNothing)
        var square = self.integrity(window: 60)
        for index in 0..<60 { square.step(index / 5 % 2 == 0 ? 0 : 1) }
        #expect(square.fault == .stepwise && !square.isSound && square.carriesNothing)
    }

    @Test("picks the first of every so many samples")
    func picks() {
        var integrity = integrity(window: 60, stride: 4)
        // What lies between the picks is not looked at.
        for index in 0..<240 { integrity.step(index % 4 == 0 ? 3 : Float(index % 7)) }
        #expect(integrity.fault == .flat)
        var moving = self.integrity(window: 60, stride: 4)
        for value in body(60) { for index in 0..<4 { moving.step(index == 0 ? value : 0) } }
        #expect(moving.fault == nil)
        var late = self.integrity(window: 60, stride: 4)
        for _ in 0..<76 { late.step(3) }
        #expect(late.fault == nil)
        late.step(3)
        #expect(late.fault == .flat)
    }

    @Test("is looked for in eight picks at least, of one sample at least", arguments: [(0.1, 0.001), (0.1, 0.01), (0.02, 0.015)])
    func least(window: Double, step: Double) {
        var integrity = SignalIntegrity(rate: 64, step: step, window: window, floor: 0.5)
        // A third of eight are two, and a sixth is one.
        integrity.step(0)
        #expect(integrity.fault == nil && !integrity.isSound)
        integrity.step(0)
        #expect(integrity.fault == .flat)
        for _ in 0..<6 { integrity.step(Float(5)) }
        integrity.step(9)
        // The first is forgotten with the ninth: 0 5 5 … 9, which goes on for seven more.
        for _ in 0..<7 { integrity.step(9) }
        #expect(integrity.fault == .flat)
    }

    /// A square wave with a few values between its levels: of 150 they may be three.
    @Test("stepwise is what jumps, with a fiftieth of other changes at the most", arguments: [(0, true), (1, true), (3, true), (4, false)])
    func stepwise(others: Int, isStepwise: Bool) {
        var values = (0..<150).map { Float($0 / 5 % 2) }
        // A change of 0.2 of the range, that lasts for the rest of the plateau: coming is one change, going is a jump of 0.8.
        for place in 0..<others { for index in 0..<3 { values[10 * place + 2 + index] = 0.2 } }
        #expect((fault(of: values) == .stepwise) == isStepwise)
    }

    @Test(
        "a jump is more than 0.6 of the range, a change more than 0.03",
        arguments: [
            (0.5, 0.02, false), (0.6, 0.02, false), (0.61, 0.02, true), (0.61, 0.03, true), (0.61, 0.031, false),
        ] as [(Float, Float, Bool)])
    func sizes(jump: Float, noise: Float, isStepwise: Bool) {
        // Plateaus at 0 and `jump`, once as far as 1, so that the range is 1; in those at 0 a little moves.
        for scale in [1, 4] as [Float] {
            var values = (0..<120).map { Float($0 / 10 % 2) * jump }
            values[59] = 1
            for index in stride(from: 5, to: 120, by: 20) { values[index] += noise }
            #expect((fault(of: values.map { scale * $0 }) == .stepwise) == isStepwise)
        }
    }

    @Test("a ramp without a jump is not stepwise, nor a single jump in what moves")
    func ramp() {
        #expect(fault(of: (0..<60).map { Float($0) }) != .stepwise)
        #expect(fault(of: (0..<60).map { Float($0 % 30) }) == nil)
        #expect(fault(of: (0..<60).map { $0 == 30 ? 1 : 0 } as [Float]) == .stepwise)
    }

    /// The ring of picks has a seam, where the newest lies beside the oldest, and an end, which is followed by its beginning.
    @Test("one step is stepwise as long as both its sides are in sight, at whatever place of the ring", arguments: 1..<150)
    func oneStep(place: Int) {
        var integrity = integrity(window: 60)
        for count in 1...220 {
            integrity.step(count <= place ? 0 : 1)
            guard count >= 20, count % 10 == 0 else { continue }
            let isSeen = place >= max(count - 60, 0) + 1 && place <= count - 1
            #expect(integrity.fault == (isSeen ? .stepwise : .flat))
        }
    }

    @Test("what rises slowly without end has no step, although its newest value is far from its oldest")
    func drift() {
        var integrity = integrity(window: 60)
        for count in 1...220 {
            integrity.step(Float(count))
            if count >= 40 { #expect(integrity.fault == nil) }
        }
    }

    @Test(
        "clipped is what is a sixth of the time at its highest, or so at its lowest and a twentieth at its highest",
        arguments: [
            (1, 1, false), (1, 10, false), (1, 11, true), (11, 1, false), (11, 3, false), (11, 4, true), (10, 4, false), (10, 10, false),
        ])
    func clipped(lowest: Int, highest: Int, isClipped: Bool) {
        // In between it climbs, a little different every time.
        let between = 60 - lowest - highest
        let values =
            [Float](repeating: 0, count: lowest) + (0..<between).map { Float($0 + 1) / Float(between + 1) }
            + [Float](repeating: 1, count: highest)
        #expect((fault(of: values) == .clipped) == isClipped)
    }

    // MARK: Movement

    private func intensity(_ samples: [Float], rate: Double) -> Double? {
        var meter = MotionMeter()
        meter.process(samples.span, axis: 1, rate: rate)
        return meter.intensity
    }

    /// At two samples a second each weighs a quarter: 0 and 4 give a mean of 1 and a square of 4; 1 is the mean itself, which leaves 3; then 5 is 4 off.
    @Test(
        "the movement is the deviation from the mean of about two seconds",
        arguments: [([7], 0), ([0, 4], 2), ([0, 4, 1], 3.0.squareRoot()), ([0, 4, 1, 5], 6.25.squareRoot())] as [([Float], Double)])
    func movement(samples: [Float], expected: Double) {
        #expect(abs((intensity(samples, rate: 2) ?? -1) - expected) < 1e-9)
        // Below one sample in two seconds the newest counts alone: its distance from the one before.
        #expect(intensity([0, 4, 1], rate: 0.25) == 3 && intensity([0, 4, 1], rate: 0.5) == 3)
    }

    @Test("the movement is that of all axes together; what is no number, no axis or has no rate is passed over")
    func axes() {
        var meter = MotionMeter()
        #expect(meter.intensity == nil && !meter.isMoving)
        let three: [Float] = [0, 3], four: [Float] = [0, 4], odd: [Float] = [.nan, 1e4, -1e4, .infinity]
        meter.process(three.span, axis: 3, rate: 0.5)
        meter.process(three.span, axis: 0, rate: 0)
        meter.process(odd.span, axis: 0, rate: 0.5)
        #expect(meter.intensity == nil)
        meter.process(three.span, axis: 0, rate: 0.5)
        #expect(meter.intensity == 3)
        meter.process(four.span, axis: 2, rate: 0.5)
        #expect(meter.intensity == 5)
        meter.process(odd.span, axis: 2, rate: 0.5)
        #expect(meter.intensity == 5)
        let still: [Float] = [4], large: [Float] = [9999]
        meter.process(still.span, axis: 2, rate: 0.5)
        #expect(meter.intensity == 3)
        meter.process(large.span, axis: 2, rate: 0.5)
        #expect(meter.intensity ?? 0 > 9000)
    }

    @Test("the wearer moves above 0.8 m/s²", arguments: [(0.79, false), (0.81, true)] as [(Float, Bool)])
    func moves(step: Float, isMoving: Bool) {
        var meter = MotionMeter()
        let samples: [Float] = [0, step]
        meter.process(samples.span, axis: 0, rate: 0.5)
        #expect(meter.isMoving == isMoving)
    }
}
