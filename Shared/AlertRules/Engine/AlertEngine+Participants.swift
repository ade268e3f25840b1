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
    package mutating func place(of name: String, capacity: Int) -> Int? {
        if let known = places[name] { return known }
        if places.count >= capacity { forget() }
        return places.count < capacity ? place(of: name) : nil
    }

    /// The place of a participant's name, made where it is new.
    package mutating func place(of name: String) -> Int {
        if let known = places[name] { return known }
        let place = free.popLast() ?? appendPlace()
        places[name] = place
        names[place] = name
        thaw(place)
        bookExpected(place)
        return place
    }

    /// Makes a place for everybody whom a rule names that expects a sensor: they are missed also if nothing ever comes.
    mutating func placeExpected() {
        for rule in rules.rules where rule.levels.contains(where: { $0.condition.leaves.contains { rules.isExpected($0) } }) {
            for name in rule.participants.sorted() where owns?(name) ?? true { _ = place(of: name) }
        }
    }

    private mutating func bookExpected(_ place: Int) {
        guard rules.leaves.indices.contains(where: rules.isExpected) else { return }
        var step = begin(place, now: lastNow)
        for rule in rules.rules.indices where !participants[place].alerts[rule].flags.contains(.excluded) {
            participants[place].book(rule, rules, &step)
        }
        rebook(place, before: .max)
    }

    /// The place of a participant that is known.
    package func knownPlace(of name: String) -> Int? { places[name] }

    /// The places that became free since the last call.
    package mutating func takeFreed() -> [Int] {
        defer { freed = [] }
        return freed
    }

    /// Puts a restored participant where it was.
    mutating func put(_ state: ParticipantState, named name: String, at place: Int) {
        while names.count <= place { free.append(appendPlace()) }
        free.removeAll { $0 == place }
        places[name] = place
        names[place] = name
        spread(state, at: place)
    }

    private mutating func appendPlace() -> Int {
        names.append("")
        participants.append()
        return names.count - 1
    }

    /// Forgets a participant with alerts, thresholds and profile.
    /// - Returns: the place that is free now; nil for somebody who is not known.
    package mutating func erase(_ name: String) -> Int? {
        guard let place = places[name] else { return nil }
        vacate(place, of: thawed(place))
        return place
    }

    private mutating func vacate(_ place: Int, of state: ParticipantState) {
        // Should the name come back, its events go on behind those that were told: a receiver takes none for one that it knows.
        sequenceFloor = max(sequenceFloor, state.alerts.map(\.sequence).max() ?? 0)
        places[names[place]] = nil
        names[place] = ""
        participants.remove(place)
        free.append(place)
    }

    private mutating func forget() {
        guard lastForgetting == .min || clock - lastForgetting >= Self.forgettingInterval else { return }
        lastForgetting = clock
        for place in names.indices where !names[place].isEmpty {
            let state = thawed(place)
            guard state.canBeForgotten(at: clock) else { continue }
            vacate(place, of: state)
            freed.append(place)
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
