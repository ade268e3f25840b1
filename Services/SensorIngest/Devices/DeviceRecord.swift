package import VigilSchema

/// The facts known of a device while messages are read.
struct DeviceRecord: Sendable {
    let address: DeviceAddress
    var clock: ClockSkewEstimator
    var repeats = DuplicateFilter()
    var rate = RateGuard()
    /// The cost of the readings that may still be stored along with everybody's.
    var budget = TokenBucket()
    /// The rejects that may still be published.
    var rejects = TokenBucket()
    /// Rejects that were left out since the last one.
    var omittedRejects = 0
    /// The times that were given to readings without one.
    var stamps = StampLine()
    /// The counts of its day counters.
    var counts: DayCounts
    /// The extreme values that it sends and that are refused, by metric: one of `TechnicalMetric.extremes`.
    private(set) var extremes: [String: Extreme] = [:]
    /// The time since which it sends a pulse and no saturation that can be stored.
    var pulseAlone: Timestamp?
    /// A Boolean value that indicates whether it was told that a retained message is no new measurement.
    var isToldOfRetained = false
    /// The delivery in which it was touched last.
    var delivery = 0
    /// A Boolean value that indicates whether it was touched in one before that, too.
    var isRegular = false
    /// The time of the last reject that was published for being quarantined.
    var lastQuarantineReject: Timestamp?
    /// Since it was handed on.
    var change: DeviceChange?

    init(_ address: DeviceAddress, offset: Int64?, counts: DayCounts? = nil) {
        self.address = address
        self.counts = counts ?? DayCounts()
        clock = ClockSkewEstimator(offset: offset)
    }

    /// The extreme values of one metric.
    struct Extreme: Sendable {
        var seen: Timestamp
        var told: Timestamp
        /// A Boolean value that indicates whether others of the metric have not come since.
        var isOn = true
    }

    /// The time without an extreme value after which there is none any more, and between two tellings, in seconds.
    private static let (calm, telling) = (30.0, 60.0)
    /// The time for which a sensor may look for a saturation while it has a pulse, in seconds.
    private static let searching = 60.0

    /// Notes a pulse without a saturation; returns whether that goes on for too long.
    mutating func lacksSaturation(at time: Timestamp) -> Bool {
        let start = pulseAlone ?? time
        pulseAlone = min(start, time)
        return time.seconds - start.seconds >= Self.searching
    }

    /// Notes a value of a metric that can be stored; returns whether it ends an extreme: none has come for a while.
    mutating func endsExtreme(_ metric: String, at time: Timestamp) -> Bool {
        guard let known = extremes[metric], known.isOn, abs(time.seconds - known.seen.seconds) >= Self.calm else { return false }
        extremes[metric]?.isOn = false
        return true
    }

    /// Notes an extreme value; returns whether it is to be told.
    mutating func tellsExtreme(_ metric: String, at time: Timestamp) -> Bool {
        // One that was over is told at once: the next may be the last.
        guard let known = extremes[metric], known.isOn, abs(time.seconds - known.told.seconds) < Self.telling else {
            extremes[metric] = Extreme(seen: time, told: time)
            return true
        }
        extremes[metric]?.seen = time
        return false
    }

    /// Notes a message.
    mutating func note(at time: Timestamp) {
        if change == nil { change = DeviceChange(address: address, at: time) }
        change?.lastSeen = time
        change?.messages += 1
    }
}

/// The changes to a device's record since it was last saved.
package struct DeviceChange: Sendable, Hashable {
    /// The last thing that was refused.
    package struct Refused: Sendable, Hashable {
        package let code: String
        package let reason: String
        package let time: Timestamp
    }

    package let address: DeviceAddress
    package let firstSeen: Timestamp
    package var lastSeen: Timestamp
    package var messages = 0
    package var accepted = 0
    package var refused = 0
    package var lastRefused: Refused?
    /// A new verdict on its clock, nil in it meaning right.
    package var clock: Int64??
    /// The counts of its day counters, where they changed.
    var counts: DayCounts?
    /// The state that it reported.
    package var state = DeviceState()

    package init(address: DeviceAddress, at time: Timestamp) {
        self.address = address
        firstSeen = time
        lastSeen = time
    }

    /// Adds what happened later.
    mutating func merge(_ later: DeviceChange) {
        lastSeen = later.lastSeen
        messages += later.messages
        accepted += later.accepted
        refused += later.refused
        lastRefused = later.lastRefused ?? lastRefused
        clock = later.clock ?? clock
        counts = later.counts ?? counts
        state.adopt(later.state)
    }
}

/// Something about a device that its operator should hear.
package enum DeviceNotice: Sendable, Hashable {
    /// The clock is off by so many seconds, behind if positive; nil: it is right again.
    case clock(DeviceAddress, seconds: Int64?, isCorrected: Bool)
    /// It has been sending more than is allowed for a minute, or for another one.
    case excess(DeviceAddress)
    /// It repeats the same readings.
    case flood(DeviceAddress)
    /// It sends extreme values of a metric, which are refused; or others again.
    case extreme(DeviceAddress, metric: String, isOn: Bool)

    package var address: DeviceAddress {
        switch self {
        case .clock(let address, _, _), .excess(let address), .flood(let address), .extreme(let address, _, _): address
        }
    }

    /// In words.
    package var description: String {
        switch self {
        case .clock(_, let seconds?, let isCorrected):
            "the device's times are \(abs(seconds)) s \(seconds > 0 ? "behind" : "ahead")" + (isCorrected ? "; they are corrected" : "")
        case .clock(_, nil, _): "the device's clock is right again"
        case .excess: "the device has sent more than its rate limit for a minute; what exceeds it is refused"
        case .flood: "the device repeats the same readings; the repeats are held back"
        case .extreme(_, _, isOn: true): "the device sends extreme values, which are refused"
        case .extreme(_, _, isOn: false): "the device sends values again that can be stored"
        }
    }
}
