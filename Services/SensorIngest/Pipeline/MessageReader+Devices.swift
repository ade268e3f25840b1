import MessageBus
import VigilSchema

extension MessageReader {
    /// Whether the device may send: it is not in quarantine, and it is its participant's. Counts the message against its rate.
    mutating func admit(_ place: Int, at time: Timestamp, _ policy: DevicePolicy) throws(PayloadError) {
        let address = devices[place].address
        if devices.rules.quarantined.contains(address) {
            throw PayloadError(.quarantined, "the device is in quarantine; its operator can release it")
        }
        try devices.checkBinding(address, bindsDevices: policy.bindsDevices)
        guard let rate = policy.rate else { return }
        let (debt, isSustained) = devices[place].rate.take(rate: rate, at: time)
        result.debt = max(result.debt, debt)
        if isSustained { result.notices.append(.excess(address)) }
    }

    /// Watches the device's clock by its newest reading, and corrects its times where that is wanted.
    ///
    /// The correction stays the same until the clock has moved by more than a minute: a reading that is sent again must get the same
    /// time, or the store would take it for another.
    mutating func checkClock(of place: Int, _ decoded: inout DecodedReadings, received: Timestamp, _ policy: DevicePolicy) {
        guard let newest = decoded.readings.lazy.map(\.observation.time).max(), newest != received else { return }
        if devices[place].clock.observe(newest: newest, received: received) {
            let offset = devices[place].clock.offset
            devices[place].change?.clock = .some(offset)
            result.notices.append(
                .clock(devices[place].address, seconds: offset.map { $0 / 1_000_000 }, isCorrected: policy.correctsClocks))
        }
        guard policy.correctsClocks, let offset = devices[place].clock.offset else { return }
        for index in decoded.readings.indices where decoded.readings[index].observation.time != received {
            decoded.readings[index].observation.time.microseconds += offset
        }
    }

    /// Whether the message is one of very many equal ones.
    mutating func isFlood(_ place: Int, _ message: IncomingMessage, _ decoded: DecodedReadings, received: Timestamp) -> Bool {
        let first = decoded.readings.first?.observation.time
        guard devices[place].repeats.isFlood(message.payload, first: first == received ? nil : first) else { return false }
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
        if let last, time < last.advanced(bySeconds: 1) { return false }
        devices[place].lastQuarantineReject = time
        return true
    }
}
