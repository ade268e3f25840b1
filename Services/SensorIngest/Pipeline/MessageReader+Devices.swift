import MessageBus
import VigilSchema

extension MessageReader {
    /// Returns whether the device may send: it is not in quarantine, and it is its participant's. Counts the message against its rate.
    mutating func admit(_ place: Int, at time: Timestamp, _ policy: DevicePolicy) throws(PayloadError) {
        let address = devices[place].address
        if devices.rules.quarantined.contains(address) {
            throw PayloadError(.quarantined, "the device is in quarantine; its operator can release it")
        }
        guard !address.isOfTheSuite else {
            throw PayloadError(
                .badTopic, "a device cannot be called \(address.device): that is a service's name, whose readings nobody judges")
        }
        try devices.checkBinding(address, bindsDevices: policy.bindsDevices)
        try checkLine(of: place)
        guard let rate = policy.rate else { return }
        let (isAllowed, isSustained) = devices[place].rate.take(rate: rate, at: time, isBacklog: bringsBacklog(at: time))
        if isSustained { result.notices.append(.excess(address)) }
        guard !isAllowed else { return }
        result.tooFast += 1
        throw PayloadError(
            .tooFast, "the device sends more than \(rate.formatted) messages a second; send it again later, or several readings in one")
    }

    /// The broker kept it from before: it is no new measurement. Told once.
    mutating func passOver(_ message: IncomingMessage, from place: Int, at time: Timestamp) {
        guard !devices[place].isToldOfRetained else { return }
        devices[place].isToldOfRetained = true
        let reason = "a message that the broker had kept is passed over; publish readings without the retain flag"
        tell(PayloadError(.retained, reason), count: 0, of: message, from: place, at: time)
    }

    /// The time for readings that bring none: the one that the message had before, where it comes again.
    func stamp(of message: IncomingMessage, from place: Int, received: Timestamp) -> Timestamp {
        formerStamp(of: message) ?? devices.stamp(of: place, received: received)
    }

    /// The time that the message had before, where it comes again.
    func formerStamp(of message: IncomingMessage) -> Timestamp? {
        guard !stamps.isEmpty, message.isRepeat != false, let key = ArrivalStamps.Key(message) else { return nil }
        // Or that a copy of it had, which was acknowledged when the connection broke before this one was.
        return stamps[key] ?? (0..<message.earlierCopies).lazy.compactMap { stamps[key.preceding($0 + 1)] }.first
    }

    /// Remembers the stamp, and tells readings of one metric and time within the message apart by microseconds.
    mutating func keep(
        _ stamp: Timestamp, of message: IncomingMessage, from place: Int, received: Timestamp, _ decoded: inout DecodedReadings
    ) {
        var times = DistinctTimes()
        keep(stamp, of: message, from: place, received: received, &times, &decoded)
    }

    /// - Parameter times: Those that the readings of the message's parts before have of the same device.
    mutating func keep(
        _ stamp: Timestamp, of message: IncomingMessage, from place: Int, received: Timestamp, _ times: inout DistinctTimes,
        _ decoded: inout DecodedReadings
    ) {
        var last = stamp
        if decoded.readings.count > 1 || !times.isEmpty {
            for index in decoded.readings.indices {
                let before = decoded.readings[index].observation.time
                times.tellApart(&decoded.readings[index])
                let time = decoded.readings[index].observation.time
                if time > last, time.microseconds - stamp.microseconds < 1_000_000 { last = time }
                // Of times that count from the stamp the next message has the same distances: what was moved here is not to meet its own.
                let moved = Timestamp(microseconds: stamp.microseconds + time.microseconds - before.microseconds)
                last = max(last, moved)
            }
        }
        devices[place].stamps.note(last, received: received)
        if let key = ArrivalStamps.Key(message) { result.stamps[key] = stamp }
    }

    /// Takes out the one half of a blood pressure whose other half was refused: alone it would mislead.
    static func takeHalfPressures(from accepted: inout [(observation: Observation, part: String?)]) -> [PayloadError] {
        let halves = ["systolic-pressure", "diastolic-pressure"]
        var errors: [PayloadError] = []
        var measured: [Pressure: [Int]] = [:]
        for (index, reading) in accepted.enumerated() where halves.contains(reading.observation.metric) {
            let pressure = Pressure(time: reading.observation.time, part: reading.part, sequence: reading.observation.sequence)
            measured[pressure, default: []].append(index)
        }
        let alone = Set(measured.values.filter { Set($0.map { accepted[$0].observation.metric }).count == 1 }.joined())
        guard !alone.isEmpty else { return [] }
        for index in alone.sorted(by: >) {
            let metric = accepted[index].observation.metric
            errors.append(PayloadError(.missing, "\(metric) is not kept alone: the other half of the blood pressure was refused"))
        }
        accepted = accepted.indices.lazy.filter { !alone.contains($0) }.map { accepted[$0] }
        return errors
    }

    /// Numbers readings of one message that have one metric and time and say something different: none of them corrects another. A day's count is
    /// replaced by the next one.
    static func tellApart(_ accepted: inout [(observation: Observation, part: String?)]) {
        guard accepted.allSatisfy({ $0.observation.sequence == 0 }) else { return }
        var contents = DistinctContents(capacity: accepted.count)
        for index in accepted.indices {
            let observation = accepted[index].observation
            if case .samples = observation.content { continue }
            if observation.interval > 0, MappingRun.dayCounters.contains(observation.metric) { continue }
            // The halves of pressures belong together by their order.
            let isHalf = observation.metric == "systolic-pressure" || observation.metric == "diastolic-pressure"
            accepted[index].observation.sequence = contents.number(of: observation, part: accepted[index].part, isOrdinal: isHalf)
        }
    }

    /// The properties that the two halves of a blood pressure share.
    private struct Pressure: Hashable {
        let time: Timestamp
        let part: String?
        let sequence: Int32
    }

    /// Watches the device's clock by its newest reading, and corrects its times where that is wanted.
    ///
    /// The correction stays the same until the clock has moved by more than a minute: a reading that is sent again must get the same
    /// time, or the store would take it for another.
    mutating func checkClock(of place: Int, _ decoded: inout DecodedReadings, received: Timestamp, _ policy: DevicePolicy) {
        guard !decoded.isStamped, let newest = decoded.readings.lazy.map(\.observation.time).max() else { return }
        if devices[place].clock.observe(newest: newest, received: received) {
            let offset = devices[place].clock.offset
            devices[place].change?.clock = .some(offset)
            result.notices.append(
                .clock(devices[place].address, seconds: offset.map { $0 / 1_000_000 }, isCorrected: policy.correctsClocks))
        }
        guard policy.correctsClocks, let offset = devices[place].clock.offset else { return }
        for index in decoded.readings.indices {
            decoded.readings[index].observation.time.microseconds += offset
        }
    }

    /// Takes a message's readings, unless it is one of very many equal ones, of which nobody asks what became.
    mutating func addUnlessFlood(
        _ decoded: DecodedReadings, of message: IncomingMessage, from place: Int, ask: Int?, received: Timestamp
    ) {
        let first = decoded.isStamped ? nil : decoded.readings.first?.observation.time
        if ask == nil, isFlood(place, message, decoded, first, received: received) { return }
        let isWhole = add(decoded, of: message, from: place, ask: ask, received: received)
        // What was refused may be good later: a time that lies ahead.
        if ask == nil { devices[place].repeats.note(message.payload, first: isWhole ? first : nil, at: received) }
    }

    private mutating func isFlood(
        _ place: Int, _ message: IncomingMessage, _ decoded: DecodedReadings, _ first: Timestamp?, received: Timestamp
    ) -> Bool {
        guard devices[place].repeats.isFlood(message.payload, first: first, at: received) else { return false }
        result.heldBack += decoded.readings.count
        if devices[place].repeats.count == DuplicateFilter.tolerated { result.notices.append(.flood(devices[place].address)) }
        return true
    }

    /// Notes what was refused of a device. False where it need not be told again: a device in quarantine gets one reject a second.
    mutating func note(_ errors: [PayloadError], from place: Int, at time: Timestamp) -> Bool {
        guard let first = errors.first else { return false }
        devices[place].change?.refused += errors.count
        devices[place].change?.lastRefused = .init(code: first.code.rawValue, reason: first.reason, time: time)
        guard first.code == .quarantined else { return true }
        let last = devices[place].lastQuarantineReject
        if let last, last <= time, time < last.advanced(bySeconds: 1) { return false }
        devices[place].lastQuarantineReject = time
        return true
    }
}

extension Double {
    /// Without a needless `.0`.
    fileprivate var formatted: String { self == rounded() && magnitude < 1e15 ? String(Int(self)) : description }
}
