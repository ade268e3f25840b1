extension AlertEngine {
    /// The time after which a participant who was not heard of can be forgotten, in microseconds.
    package static let forgetAfter: Int64 = 3600 * 1_000_000
    /// The most participants that can be asked for.
    package static let largestCapacity = 1_000_000
    /// It is looked so often who can be, at most.
    private static let forgettingInterval: Int64 = 60 * 1_000_000

    /// The place of a participant's name, made where it is new.
    /// - Parameter capacity: how many are remembered at most. Where there are as many, those are forgotten of whom nothing was heard
    ///   for an hour and who have no alert, silence, threshold or profile of their own.
    /// - Returns: nil where nobody can be forgotten.
    package mutating func index(of name: String, capacity: Int) -> Int? {
        if let known = indices[name] { return known }
        if indices.count >= capacity { forget() }
        return indices.count < capacity ? index(of: name) : nil
    }

    /// The place of a participant's name, made where it is new.
    package mutating func index(of name: String) -> Int {
        if let known = indices[name] { return known }
        let index = free.popLast() ?? appendSlot()
        indices[name] = index
        names[index] = name
        thaw(index)
        scheduleExpected(index)
        return index
    }

    /// Makes a place for everybody whom a rule names that expects a sensor: they are missed also if nothing ever comes.
    mutating func placeExpected() {
        for rule in rules.rules where rule.levels.contains(where: { $0.condition.leaves.contains { rules.isExpected($0) } }) {
            for name in rule.participants.sorted() where owns?(name) ?? true { _ = index(of: name) }
        }
    }

    private mutating func scheduleExpected(_ index: Int) {
        guard rules.leaves.indices.contains(where: rules.isExpected) else { return }
        var step = begin(index, now: lastNow)
        for rule in rules.rules.indices where !participants[index].alerts[rule].flags.contains(.excluded) {
            participants[index].schedule(rule, rules, &step)
        }
        reschedule(index, before: .max)
    }

    /// The place of a participant that is known.
    package func knownIndex(of name: String) -> Int? { indices[name] }

    /// The places that became free since the last call.
    package mutating func takeFreed() -> [Int] {
        defer { freed = [] }
        return freed
    }

    /// Puts a restored participant where it was.
    mutating func put(_ state: ParticipantState, named name: String, at index: Int) {
        while names.count <= index { free.append(appendSlot()) }
        free.removeAll { $0 == index }
        indices[name] = index
        names[index] = name
        spread(state, at: index)
    }

    private mutating func appendSlot() -> Int {
        names.append("")
        participants.append()
        return names.count - 1
    }

    /// Forgets a participant with alerts, thresholds and profile.
    /// - Returns: the place that is free now; nil for somebody who is not known.
    package mutating func erase(_ name: String) -> Int? {
        guard let index = indices[name] else { return nil }
        vacate(index, of: thawed(index))
        return index
    }

    private mutating func vacate(_ index: Int, of state: ParticipantState) {
        // Should the name come back, its events go on behind those that were told: a receiver takes none for one that it knows.
        sequenceFloor = max(sequenceFloor, state.alerts.map(\.sequence).max() ?? 0)
        indices[names[index]] = nil
        names[index] = ""
        participants.remove(index)
        free.append(index)
    }

    private mutating func forget() {
        guard lastForgetting == .min || clock - lastForgetting >= Self.forgettingInterval else { return }
        lastForgetting = clock
        for index in names.indices where !names[index].isEmpty {
            let state = thawed(index)
            guard state.canBeForgotten(at: clock) else { continue }
            vacate(index, of: state)
            freed.append(index)
        }
    }
}

extension ParticipantState {
    /// Returns whether nothing is lost with it but readings of long ago.
    func canBeForgotten(at clock: Int64) -> Bool {
        guard overrides.isEmpty, profile == PersonFacts() else { return false }
        guard alerts.allSatisfy({ $0.phase == .none && $0.silencedUntil == 0 }) else { return false }
        return leaves.allSatisfy { !$0.isSeen || clock - $0.arrival >= AlertEngine.forgetAfter }
    }

    /// Tells whether no sensor of the heart itself was heard of lately.
    func isWithoutHeartRate(at clock: Int64) -> Bool {
        heartRateClock == .min || clock - heartRateClock > AlertEngine.pulseStandsInAfter
    }
}

extension RuleSet {
    /// Tells whether a leaf misses a sensor that was never heard of.
    fileprivate func isExpected(_ leaf: Int) -> Bool {
        if case .silent(let silence) = leaves[leaf].comparison { silence.isExpected } else { false }
    }
}
