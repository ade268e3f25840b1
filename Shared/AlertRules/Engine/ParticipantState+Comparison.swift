/// What a comparison's quantity is with a reading, and whether it satisfies the comparison.
extension ParticipantState {
    mutating func compare(_ value: Double, leaf index: Int, _ rules: RuleSet) {
        let slack = rules.plans[index].slack
        let isExceeded = isSatisfied(index, by: value, slack: 0, rules)
        leaves[index].isSatisfied =
            isExceeded || (leaves[index].isSatisfied && slack > 0 && isSatisfied(index, by: value, slack: slack, rules))
        leaves[index].isExceeded = isExceeded
        leaves[index].value = value
    }

    func isSatisfied(_ index: Int, by value: Double, slack: Double, _ rules: RuleSet) -> Bool {
        let plan = rules.plans[index]
        guard plan.test != .other else { return rules.leaves[index].comparison.isSatisfied(by: value, slack: slack, limit: limit) }
        return plan.isSatisfied(by: value, limit: limits.isEmpty ? plan.standard : limits[plan.slot], slack: slack)
    }

    /// Compares again what is known with the limits as they are now.
    mutating func compareAgain(_ rules: RuleSet) {
        for (index, leaf) in rules.leaves.enumerated() where leaves[index].isSeen && !leaf.isSilent {
            compare(leaves[index].value, leaf: index, rules)
        }
    }

    /// Returns the leaf's quantity with the reading; nil where that is not known yet.
    mutating func compared(_ reading: Reading, at time: inout Int64, leaf index: Int, _ rules: RuleSet) -> Double? {
        guard rules.plans[index].hasMemory, let memory = rules.leaves[index].memory else { return reading.value }
        switch rules.leaves[index].quantity {
        case .value: return reading.value
        case .window(let measure, let over):
            let isNew = windows[memory].add(reading.value, at: time, over: over)
            // Within a bucket a trend hardly changes, and costs most.
            return measure == .trend && !isNew ? nil : windows[memory].measure(measure)
        case .predicted(let ahead, let over):
            windows[memory].add(reading.value, at: time, over: over)
            return windows[memory].predicted(ahead: ahead)
        case .days(let measure, let plan):
            days[memory].add(reading.value, at: time, plan)
            return days[memory].measure(measure, plan)
        case .deviation(let plan):
            days[memory].add(reading.value, at: time, plan)
            return days[memory].measure(.deviation, plan)
        case .anchored(let measure, _, let within): return anchored(reading.value, at: time, memory, measure, within)
        case .computed(let expression): return computed(reading, at: &time, rules.expressions[expression])
        }
    }

    /// The change since the event; nil without an event, or when it is too long ago.
    private mutating func anchored(_ value: Double, at time: Int64, _ index: Int, _ measure: WindowMeasure, _ within: Int64) -> Double? {
        if time >= anchors[index].newestTime { (anchors[index].newest, anchors[index].newestTime) = (value, time) }
        let anchor = anchors[index]
        guard anchor.time != LeafState.never, !anchor.baseline.isNaN, time >= anchor.time, time - anchor.time <= within else { return 0 }
        return measure == .fall ? anchor.baseline - value : value - anchor.baseline
    }

    /// An event begins when its comparison is satisfied and was not before; the newest value then is what is compared with.
    mutating func anchor(_ index: Int, _ rules: RuleSet, isEvent: Bool, at time: Int64) {
        guard let memory = rules.leaves[index].memory else { return }
        if !isEvent {
            anchors[memory].time = LeafState.never
        } else if anchors[memory].time == LeafState.never {
            anchors[memory].time = time
            anchors[memory].baseline = anchors[memory].newest
        }
    }

    /// The expression's value, where all of its inputs are there and of about one time.
    private mutating func computed(_ reading: Reading, at time: inout Int64, _ expression: Expression) -> Double? {
        guard let own = expression.metrics.firstIndex(of: reading.metric) else { return nil }
        guard inputs[expression.first + own].value.isNaN || time >= inputs[expression.first + own].time else { return nil }
        inputs[expression.first + own] = InputState(value: reading.value, time: time)
        let all = inputs[expression.first..<expression.first + expression.metrics.count]
        guard let oldest = all.map(\.time).min(), let newest = all.map(\.time).max(), newest - oldest <= expression.within else {
            return nil
        }
        guard !all.contains(where: \.value.isNaN) else { return nil }
        time = newest
        return expression.value { all[all.startIndex + $0].value }
    }
}

extension Leaf {
    /// It remembers a window of time.
    var isWindow: Bool {
        switch quantity {
        case .window, .predicted: true
        default: false
        }
    }
}
