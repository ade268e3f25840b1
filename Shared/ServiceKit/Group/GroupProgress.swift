/// Where a group of `count` members stands, as a value: what happens goes in, what to do next comes out.
struct GroupProgress: Equatable {
    /// What the group has to do.
    enum Action: Equatable {
        /// Ask this member to finish.
        case drain(Int)
        /// Cancel these: they hold the group up.
        case cancel([Int])
        /// Every member has ended.
        case finish
    }

    private(set) var running: [Int] = []
    private(set) var isDraining = false
    private var asked: Set<Int> = []

    /// A member was started. While draining it is asked to finish at its turn.
    mutating func started(_ member: Int) { running.append(member) }

    /// Draining begins; a second request changes nothing.
    mutating func stop() -> [Action] {
        guard !isDraining else { return [] }
        isDraining = true
        return next()
    }

    /// A member's `run` has returned or thrown. The first to end starts the draining of the others.
    mutating func ended(_ member: Int) -> [Action] {
        running.removeAll { $0 == member }
        isDraining = true
        return next()
    }

    /// The deadline passed: all that still run are cancelled.
    mutating func deadlinePassed() -> [Action] { running.isEmpty ? [] : [.cancel(running)] }

    private mutating func next() -> [Action] {
        guard let last = running.last else { return [.finish] }
        guard asked.insert(last).inserted else { return [] }
        return [.drain(last)]
    }
}
