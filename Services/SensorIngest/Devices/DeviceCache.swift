import VigilSchema

/// Remembers which topic is whose, because parsing a topic costs more than decoding a reading, and what is known of each device.
///
/// The changes of a delivery count only once it is settled: given back, its messages come again and must find everything as it was.
/// Bounded: publishers choose their topics, so that it forgets devices when it has grown to `capacity`, those that have sent in one delivery alone first.
struct DeviceCache: Sendable {
    let deviceRules: DeviceRules
    private(set) var rules = DeviceRuleSet()
    private var version = 0
    private var places: [String: Int] = [:]
    /// The same by who it is: what a mapping reads comes on topics of others' making.
    private var placesByAddress: [DeviceAddress: Int] = [:]
    private var records: [DeviceRecord] = []
    /// The records touched by the present delivery, as they were before it.
    private var before: [(place: Int, record: DeviceRecord)] = []
    private var delivery = 0
    /// The times that were given to readings of devices that were forgotten.
    private var forgotten = StampLine()
    /// The costs of the readings that may still be stored along with everybody's, by participant: who may name devices may name many.
    private var budgets: [String: TokenBucket] = [:]
    /// The rejects that may still be published of messages whose topic names nobody.
    private var strangers = TokenBucket()
    private let capacity: Int

    init(deviceRules: DeviceRules, capacity: Int = 20_000) {
        self.deviceRules = deviceRules
        self.capacity = capacity
    }

    /// To be called before messages are read: takes new rules over. What was read before counts as settled.
    /// - Parameter received: The time of the messages.
    mutating func begin(at received: Timestamp) {
        commit()
        delivery += 1
        if let newer = deviceRules.rules(newerThan: version) {
            (rules, version) = newer
            // What was erased meanwhile is not to come back.
            for place in records.indices where !records[place].counts.isEmpty && newer.rules.counts[records[place].address] == nil {
                records[place].counts = DayCounts()
            }
        }
        guard records.count >= capacity else { return }
        makeRoom(received: received)
    }

    /// Keeps of those that have sent in several deliveries the half of the capacity that sent last: names that are new each time push none of them out.
    private mutating func makeRoom(received: Timestamp) {
        let regular = records.indices.filter { records[$0].isRegular }.sorted { records[$0].delivery > records[$1].delivery }
        let kept = regular.prefix(capacity / 2)
        let newPlaces = Dictionary(uniqueKeysWithValues: zip(kept, kept.indices))
        for place in records.indices where newPlaces[place] == nil { forgotten.note(records[place].stamps, received: received) }
        records = kept.map { records[$0] }
        places = places.compactMapValues { newPlaces[$0] }
        placesByAddress = placesByAddress.compactMapValues { newPlaces[$0] }
    }

    /// The delivery is settled: hands on what happened.
    mutating func commit() {
        guard !before.isEmpty else { return }
        deviceRules.record(before.compactMap { records[$0.place].change })
        for (place, _) in before { records[place].change = nil }
        before.removeAll(keepingCapacity: true)
    }

    /// The delivery is given back: everything is as before it, but that no stamp is given twice.
    mutating func rollBack() {
        for (place, record) in before {
            let stamps = records[place].stamps
            records[place] = record
            records[place].stamps = stamps
        }
        before.removeAll(keepingCapacity: true)
    }

    subscript(place: Int) -> DeviceRecord {
        get { records[place] }
        _modify { yield &records[place] }
    }

    /// The place of the sender on a topic below `ingest/`, a message from it being noted.
    mutating func place(of topic: String, at time: Timestamp) throws(PayloadError) -> Int {
        let place = try known(topic)
        note(place, at: time)
        return place
    }

    /// The place of a device that a mapping names, a message from it being noted.
    mutating func place(of address: DeviceAddress, at time: Timestamp) -> Int {
        let place = known(address)
        note(place, at: time)
        return place
    }

    private mutating func note(_ place: Int, at time: Timestamp) {
        if records[place].delivery != delivery {
            before.append((place, records[place]))
            records[place].isRegular = records[place].delivery > 0
            records[place].delivery = delivery
        }
        records[place].note(at: time)
    }

    /// A time for a device's message that brings none.
    func stamp(of place: Int, received: Timestamp) -> Timestamp {
        records[place].stamps.next(received: received, beside: forgotten)
    }

    /// The same for a device that may not be known yet.
    func stamp(of address: DeviceAddress, received: Timestamp) -> Timestamp {
        let line = placesByAddress[address].map { records[$0].stamps } ?? StampLine()
        return line.next(received: received, beside: forgotten)
    }

    /// Returns whether readings of such a cost are within the budget of the device, and of its participant's devices together.
    /// - Parameter rate: the cost a second of one device.
    mutating func affords(_ cost: Double, of place: Int, rate: Double, at time: Timestamp) -> Bool {
        guard records[place].budget.take(cost, full: rate * WorkCost.burst, rate: rate, at: time) else { return false }
        let participant = records[place].address.participant
        // One that is forgotten has a full budget again.
        if budgets.count >= capacity { budgets.removeAll() }
        let all = rate * WorkCost.devices
        return budgets[participant, default: TokenBucket()].take(cost, full: all * WorkCost.burst, rate: all, at: time)
    }

    /// Returns whether another reject may be published of a device, or of a stranger, and how many were left out before it.
    mutating func allowsReject(of place: Int?, at time: Timestamp) -> (isAllowed: Bool, omitted: Int) {
        guard let place else { return (strangers.take(rate: 1, burst: 60, at: time), 0) }
        guard records[place].rejects.take(rate: 1, burst: 60, at: time) else {
            records[place].omittedRejects += 1
            return (false, 0)
        }
        defer { records[place].omittedRejects = 0 }
        return (true, records[place].omittedRejects)
    }

    /// Finds out whose device it is: bound by an operator, or to the participant for whom it sends first.
    mutating func checkBinding(_ address: DeviceAddress, bindsDevices: Bool) throws(PayloadError) {
        if let owner = rules.bindings[address.device] {
            guard owner == address.participant else {
                throw PayloadError(.conflicting, "the device is bound to another participant")
            }
        } else if bindsDevices {
            guard deviceRules.bind(address.device, to: address.participant) else {
                throw PayloadError(.tooLarge, "no more devices can be bound")
            }
            rules.bindings[address.device] = address.participant
        }
    }

    private mutating func known(_ topic: String) throws(PayloadError) -> Int {
        if let place = places[topic] { return place }
        let place = known(try parse(topic))
        places[topic] = place
        return place
    }

    private mutating func known(_ address: DeviceAddress) -> Int {
        if let place = placesByAddress[address] { return place }
        records.append(DeviceRecord(address, offset: rules.offsets[address], counts: deviceRules.counts(of: address)))
        placesByAddress[address] = records.count - 1
        return records.count - 1
    }

    private func parse(_ topic: String) throws(PayloadError) -> DeviceAddress {
        let advice = "devices publish on vigil/v1/ingest/<participant>/<device>"
        let parsed: Topic
        do { parsed = try Topic(parsing: topic) } catch { throw PayloadError(.badTopic, "\(error); \(advice)") }
        switch parsed {
        case .ingest(let participant, let device):
            let address = DeviceAddress(participant: participant, device: device)
            guard !address.isManual else {
                throw PayloadError(.badTopic, "a device's name does not begin with \(DeviceAddress.manualPrefix): people's entries do")
            }
            return address
        case .manual(let participant, let account):
            guard let address = DeviceAddress(participant: participant, enteredBy: account) else {
                throw PayloadError(.badTopic, "the account's name is too long for entries by hand")
            }
            return address
        default: throw PayloadError(.badTopic, advice)
        }
    }
}
