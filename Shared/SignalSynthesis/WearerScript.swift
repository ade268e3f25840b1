/// The phases that a synthetic wearer goes through, over and over.
package struct WearerScript: Sendable {
    /// A stretch of time in one state.
    package struct Phase: Hashable, Sendable {
        /// For example `rest`.
        package var name: String
        /// The length in seconds, more than 0.
        package var seconds: Double
        /// The state of the body.
        package var state: WearerState

        /// Makes a phase.
        package init(_ name: String, seconds: Double, state: WearerState) {
            (self.name, self.seconds, self.state) = (name, seconds, state)
        }
    }

    /// In order; never empty.
    package let phases: [Phase]
    private let length: Double

    /// A script of these phases; of quiet rest where there is none.
    package init(_ phases: [Phase]) {
        let usable = phases.filter { $0.seconds > 0 }
        self.phases = usable.isEmpty ? [Phase("rest", seconds: 3600, state: .rest)] : usable
        length = self.phases.reduce(0) { $0 + $1.seconds }
    }

    /// Rest, stress, recovery: by default ten, five and eight minutes.
    package static func restStressRecovery(rest: Double = 600, stress: Double = 300, recovery: Double = 480) -> WearerScript {
        WearerScript([
            Phase("rest", seconds: rest, state: .rest), Phase("stress", seconds: stress, state: .stress),
            Phase("recovery", seconds: recovery, state: .recovery),
        ])
    }

    /// The phase at a time in seconds.
    package func phase(at time: Double) -> Phase { phases[place(time).index] }

    /// The state at a time: a change takes a fifth of the phase, 30 s at the most.
    package func state(at time: Double) -> WearerState {
        let (index, since) = place(time)
        let change = min(30, phases[index].seconds / 5)
        let isFirst = time < phases[0].seconds
        guard since < change, !isFirst else { return phases[index].state }
        let before = phases[(index + phases.count - 1) % phases.count].state
        return before.mixed(with: phases[index].state, part: since / change)
    }

    private func place(_ time: Double) -> (index: Int, since: Double) {
        var rest = max(0, time).truncatingRemainder(dividingBy: length)
        for (index, phase) in phases.enumerated() {
            if rest < phase.seconds { return (index, rest) }
            rest -= phase.seconds
        }
        return (phases.count - 1, phases[phases.count - 1].seconds)
    }
}
