/// A digital filter as second-order sections in series, with its state.
package struct FilterCascade: Sendable {
    /// In the order in which a sample passes them.
    package private(set) var sections: [SecondOrderSection]

    /// Makes a filter at rest.
    package init(sections: [SecondOrderSection]) { self.sections = sections }

    /// Filters one sample.
    @inline(__always)
    package mutating func step(_ x: Double) -> Double {
        var y = x
        for index in sections.indices { y = sections[index].step(y) }
        return y
    }

    /// Forgets what was filtered.
    package mutating func reset() {
        for index in sections.indices { sections[index].reset() }
    }

    /// Takes the state of an input that has always been `x`.
    package mutating func settle(at x: Double) {
        var level = x
        for index in sections.indices { level = sections[index].settle(at: level) }
    }
}
