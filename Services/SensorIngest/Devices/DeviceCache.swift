import VigilSchema

/// Remembers which topic is whose, because parsing a topic costs more than decoding a reading, and what is known of each device.
///
/// Bounded: publishers choose their topics, so that it is emptied when it has grown to `capacity`.
struct DeviceCache: Sendable {
    let deviceRules: DeviceRules
    private(set) var rules = DeviceRuleSet()
    private var version = 0
    private var places: [String: Int] = [:]
    private var records: [DeviceRecord] = []
    private var changed: [Int] = []
    private let capacity: Int

    init(deviceRules: DeviceRules, capacity: Int = 20_000) {
        self.deviceRules = deviceRules
        self.capacity = capacity
    }

    /// To be called before messages are read: takes new rules over.
    mutating func begin() {
        if let newer = deviceRules.rules(newerThan: version) { (rules, version) = newer }
        if records.count >= capacity {
            places.removeAll(keepingCapacity: true)
            records.removeAll(keepingCapacity: true)
        }
    }

    /// To be called after messages were read: hands on what happened.
    mutating func end() {
        guard !changed.isEmpty else { return }
        deviceRules.record(changed.compactMap { records[$0].change })
        for place in changed { records[place].change = nil }
        changed.removeAll(keepingCapacity: true)
    }

    subscript(place: Int) -> DeviceRecord {
        get { records[place] }
        _modify { yield &records[place] }
    }

    /// The place of the sender on a topic below `ingest/`, a message from it being noted.
    mutating func place(of topic: String, at time: Timestamp) throws(PayloadError) -> Int {
        let place = try known(topic)
        if records[place].note(at: time) { changed.append(place) }
        return place
    }

    /// Whose device it is: bound by an operator, or to the participant for whom it sends first.
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
        let address = try parse(topic)
        records.append(DeviceRecord(address, offset: rules.offsets[address]))
        places[topic] = records.count - 1
        return records.count - 1
    }

    private func parse(_ topic: String) throws(PayloadError) -> DeviceAddress {
        let advice = "devices publish on vigil/v1/ingest/<participant>/<device>"
        let parsed: Topic
        do { parsed = try Topic(parsing: topic) } catch { throw PayloadError(.badTopic, "\(error); \(advice)") }
        guard case .ingest(let participant, let device) = parsed else { throw PayloadError(.badTopic, advice) }
        return DeviceAddress(participant: participant, device: device)
    }
}
