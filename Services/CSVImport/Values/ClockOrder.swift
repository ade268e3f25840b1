/// A time that a clock showed, as long as it is not known whose it is.
struct ClockTime: Hashable, Sendable {
    /// Microseconds since 1970 on that clock.
    let local: Int64
    /// The moments that it may stand for.
    let reading: WearerZone.Occurrence
}

/// Those whose times follow one another in a file: a participant's from one source, and in a long table those of one metric.
struct ClockSeries: Hashable, Sendable {
    var subject = 0
    var metric = ""
    var code = ""
}

/// Tells the two passes of a clock that is set back apart, by the order in which each series of a file has its times.
struct ClockOrders {
    /// Above this many series all begin anew: they stay below some 10 MB whatever the file.
    private static let limit = 50_000

    private(set) var doubleCount = 0
    private var orders: [ClockSeries: ClockOrder] = [:]
    private var series = ClockSeries()
    private var order = ClockOrder()

    /// The offset from UTC in minutes that holds, or nil for a time that the clock never showed.
    mutating func offset(_ time: ClockTime, of series: ClockSeries) -> Int? {
        if series != self.series {
            if orders.count >= ClockOrders.limit { orders.removeAll() }
            orders[self.series] = order
            order = orders[series] ?? ClockOrder()
            self.series = series
        }
        if case .twice = time.reading { doubleCount += 1 }
        return order.offset(time)
    }

    /// The offset of a time at which something ends that began at that moment: the first one that is not before it.
    static func offset(_ end: ClockTime, endOf start: Int64) -> Int? {
        switch end.reading {
        case .never: nil
        case .once(let offset): offset
        case .twice(let first, let second): end.local - Int64(first) * 60_000_000 < start ? second : first
        }
    }
}

/// The order of one series' times.
///
/// Rows need not stand exactly in order: only a step of more than half an hour, back where times rise, is another pass.
private struct ClockOrder {
    private static let half: Int64 = 30 * 60_000_000

    private var last: Int64?
    /// The time from which on the direction is told.
    private var anchor: Int64?
    private var isSettled = false
    /// Nil as long as only one time was seen.
    private var isFalling: Bool?
    private var lastDouble: Int64?
    private var isSecondPass = false

    mutating func offset(_ time: ClockTime) -> Int? {
        switch time.reading {
        case .never: return nil
        case .once(let offset):
            look(at: time.local)
            (last, lastDouble) = (time.local, nil)
            return offset
        case .twice(let first, let second):
            if let lastDouble { pass(from: lastDouble, to: time.local) } else { enter(time.local) }
            (last, lastDouble) = (time.local, time.local)
            return isSecondPass ? second : first
        }
    }

    /// Tells by how far the times have come whether they fall.
    private mutating func look(at local: Int64) {
        guard let anchor else { return self.anchor = local }
        let distance = local - anchor
        if abs(distance) > ClockOrder.half {
            (self.anchor, isSettled, isFalling) = (local, true, distance < 0)
        } else if !isSettled, distance != 0 {
            isFalling = distance < 0
        }
    }

    /// Takes the first time within the hour: near its ends the side from which it comes tells the pass, whatever single rows did.
    private mutating func enter(_ local: Int64) {
        guard let last else {
            anchor = local
            return isSecondPass = false
        }
        let isNear = abs(local - last) <= ClockOrder.half
        isSecondPass = isNear ? local < last : isFalling ?? (local < last)
        if isNear || isFalling == nil { look(at: local) } else { anchor = local }
    }

    private mutating func pass(from before: Int64, to local: Int64) {
        guard abs(local - before) > ClockOrder.half else { return look(at: local) }
        let isFalling = isFalling ?? false
        guard isFalling ? local > before : local < before else { return look(at: local) }
        isSecondPass = !isFalling
        (anchor, isSettled, self.isFalling) = (local, true, isFalling)
    }
}
