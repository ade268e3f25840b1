import MessageBus
import VigilSchema

extension MessageReader {
    /// Reads a message of somebody else's making by the mappings. False where none fits.
    /// - Parameter sender: The place of the device that sent it on a topic of the suite's own, where it was let in.
    mutating func readMapped(
        _ message: IncomingMessage, from sender: Int? = nil, received: Timestamp, _ policy: DevicePolicy
    ) -> Bool {
        let parts: [MappedReadings]
        do throws(PayloadError) {
            guard message.payload.count <= limits.payload else {
                throw PayloadError(.tooLarge, "the payload is larger than \(limits.payload) bytes")
            }
            guard let found = try mappings.read(message.payload, topic: message.topic, received: received, isFallback: sender != nil) else {
                return false
            }
            parts = owned(found, topic: message.topic)
        } catch {
            refuse([error], whole: true, of: message, from: sender, ask: ask(message, from: sender, at: received), at: received)
            return true
        }
        var whole = Whole(stamp: stamp(of: message, parts, from: sender, received: received))
        for part in parts { take(part, of: message, from: sender, &whole, received: received, policy) }
        return true
    }

    /// A message's own, whatever number of devices it speaks for.
    private struct Whole {
        /// The time of readings that bring none.
        let stamp: Timestamp
        /// Those of the readings of the one device that sent it all.
        var times = DistinctTimes()
        var request = Request.notYet
    }

    /// A message's wish for a receipt: one.
    private enum Request {
        case notYet
        case known(Int?)
    }

    /// The time for readings that bring none, one for all: it is kept for the message, which may come again. The latest that one of its devices needs.
    private func stamp(of message: IncomingMessage, _ parts: [MappedReadings], from sender: Int?, received: Timestamp) -> Timestamp {
        if let former = formerStamp(of: message) { return former }
        if let sender { return devices.stamp(of: sender, received: received) }
        let stamps = parts.lazy.filter { !$0.stamped.isEmpty }.map { devices.stamp(of: $0.address, received: received) }
        return stamps.max() ?? received
    }

    /// On a topic of the suite's own the sender is who the topic says, as the broker has checked, whatever the payload holds: another device's
    /// name in it is that of a part.
    private func owned(_ parts: [MappedReadings], topic: String) -> [MappedReadings] {
        guard case .ingest(let participant, let device)? = try? Topic(parsing: topic) else { return parts }
        let address = DeviceAddress(participant: participant, device: device)
        return parts.map { part in
            var part = part
            if part.address.device != device {
                for index in part.decoded.readings.indices where part.decoded.readings[index].part == nil {
                    part.decoded.readings[index].part = part.address.device
                }
            }
            part.address = address
            return part
        }
    }

    private mutating func take(
        _ part: MappedReadings, of message: IncomingMessage, from sender: Int?, _ whole: inout Whole, received: Timestamp,
        _ policy: DevicePolicy
    ) {
        var place = sender
        do throws(PayloadError) {
            let known: Int
            if let sender { known = sender } else { known = devices.place(of: part.address, at: received) }
            place = known
            if sender == nil {
                if message.retained { return passOver(message, from: known, at: received) }
                try admit(known, at: received, policy)
            }
            var part = part
            for index in part.stamped { part.decoded.readings[index].observation.time = whole.stamp }
            if part.decoded.isStamped {
                if sender == nil { whole.times = DistinctTimes() }
                keep(whole.stamp, of: message, from: known, received: received, &whole.times, &part.decoded)
            }
            checkClock(of: known, &part.decoded, received: received, policy)
            beginDays(of: &part, from: known, received: received, policy)
            let ask = receipt(message, &whole.request, from: known, at: received)
            note(part.state, of: known)
            if let ask, part.isEmpty { result.receiptRequests[ask].reason = "no reading; the device's state: \(part.state.words)" }
            addUnlessFlood(part.decoded, of: message, from: known, ask: ask, received: received)
        } catch {
            let ask = receipt(message, &whole.request, from: place, at: received)
            refuse([error], whole: true, of: message, from: place, ask: ask, at: received)
        }
    }

    private mutating func note(_ state: DeviceState, of place: Int) {
        guard !state.isEmpty else { return }
        devices[place].change?.state.adopt(state)
        if let battery = state.battery { result.batteries[devices[place].address] = battery }
    }

    /// Makes totals of their days of what the device's counters say. A count that is going to be refused is no step of a counter.
    private mutating func beginDays(of part: inout MappedReadings, from place: Int, received: Timestamp, _ policy: DevicePolicy) {
        guard !part.dayCounts.isEmpty else { return }
        var counts = devices[place].counts
        part.beginDays(in: policy.zone) { [normaliser] count, day in
            guard let reading = try? normaliser.normalise(count, now: received), case .value(let value) = reading.content, value >= 0 else {
                return nil
            }
            var total = count.observation
            let counter = DayCounts.Counter(metric: reading.metric, part: count.part)
            total.content = .value(counts.total(counter, value, day: day, at: count.observation.time))
            total.unit = reading.unit
            return total
        }
        guard counts != devices[place].counts else { return }
        devices[place].counts = counts
        devices[place].change?.counts = counts
    }

    private mutating func receipt(_ message: IncomingMessage, _ request: inout Request, from place: Int?, at received: Timestamp) -> Int? {
        if case .known(let ask) = request { return ask }
        let ask = ask(message, from: place, at: received)
        request = .known(ask)
        return ask
    }
}
