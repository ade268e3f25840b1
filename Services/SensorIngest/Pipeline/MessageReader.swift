package import MessageBus
package import VigilSchema

/// Turns device messages into canonical batches and refusals. A value without I/O: what comes out depends on what goes in, and on the
/// rules for devices.
package struct MessageReader: Sendable {
    /// Bounds on one message.
    package struct Limits: Sendable, Hashable {
        /// A larger payload is refused, in bytes.
        package var payload: Int
        /// A message's refusals beyond this many are counted, not listed.
        package var listedRefusals: Int

        package init(payload: Int = 1 << 20, listedRefusals: Int = 20) {
            self.payload = payload
            self.listedRefusals = listedRefusals
        }
    }

    private let formats: PayloadFormats
    let normaliser: Normaliser
    let limits: Limits
    private var assembler: BatchAssembler
    var devices: DeviceCache
    var result = IngestResult()
    var stamps: [ArrivalStamps.Key: Timestamp] = [:]
    /// The readings a second of one device that are stored along with everybody's.
    var budget: Double?
    private let deferredLines: DeferredLines
    /// The bytes that may wait of one device.
    private let lineLimit: Int
    private let isAnswered: @Sendable (_ account: String, _ participant: String) -> Bool
    /// The connection of the delivery before, and when it began, where it brings what waited in the session.
    private var connection = 0
    private var resumed: Timestamp?
    /// So long after it began a connection may bring what was sent while there was none, in seconds.
    private static let backlog = 60.0
    private let mappingRules: MappingRules
    private(set) var mappings = MappingSet()
    /// The filters of topics on which sensors are announced, and what was announced on them in the present delivery.
    private var announcementFilters: [String] = []
    private var announced: [(topic: String, payload: [UInt8])] = []

    /// - Parameters:
    ///   - deferred: what waits of devices that send more than their budgets.
    ///   - lineLimit: bytes of one device that may wait.
    ///   - isAnswered: returns whether a receipt for a device of a participant may go to an account.
    package init(
        formats: PayloadFormats = .standard, normaliser: Normaliser = Normaliser(), limits: Limits = Limits(),
        batchLimits: BatchAssembler.Limits = BatchAssembler.Limits(), deviceRules: DeviceRules = DeviceRules(),
        mappings: MappingRules = MappingRules(), deferred: DeferredLines = DeferredLines(), lineLimit: Int = 512 << 20,
        isAnswered: @escaping @Sendable (_ account: String, _ participant: String) -> Bool = { _, _ in true }
    ) {
        (deferredLines, self.lineLimit, self.isAnswered) = (deferred, lineLimit, isAnswered)
        self.formats = formats
        self.normaliser = normaliser
        self.limits = limits
        assembler = BatchAssembler(limits: batchLimits)
        devices = DeviceCache(deviceRules: deviceRules)
        mappingRules = mappings
    }

    /// Reads messages that were received together, in their order. Then `commit` or `rollBack` says what became of them.
    /// - Parameter known: What the messages may be known by that may come again.
    package mutating func read(
        _ messages: [IncomingMessage], received: Timestamp, policy: DevicePolicy = DevicePolicy(),
        known: ArrivalStamps.Known = ArrivalStamps.Known()
    ) -> IngestResult {
        devices.begin(at: received)
        budget = policy.budget
        stamps = known.stamps
        if known.connection != connection { (connection, resumed) = (known.connection, known.isResumed ? received : nil) }
        mappings = mappingRules.current
        announcementFilters = mappingRules.announcements
        for message in messages { read(message, received: received, policy) }
        if !announced.isEmpty {
            mappingRules.announce(announced)
            announced = []
        }
        defer { result = IngestResult() }
        result.batches = assembler.finish(at: received)
        return result
    }

    /// Returns whether what comes may have been sent before it could be taken: it says nothing of how fast a device sends.
    func bringsBacklog(at time: Timestamp) -> Bool { resumed.map { abs(time.seconds - $0.seconds) < Self.backlog } ?? false }

    /// The delivery that was read last is settled.
    package mutating func commit() { devices.commit() }

    /// The delivery that was read last is given back, and comes again.
    package mutating func rollBack() { devices.rollBack() }

    private mutating func read(_ message: IncomingMessage, received: Timestamp, _ policy: DevicePolicy) {
        if !mappings.mappings.isEmpty, !message.topic.isBelowIngest {
            // All of them end on config: most topics need no closer look.
            if message.topic.utf8.last == UInt8(ascii: "g"), announcementFilters.contains(where: { TopicFilter.matches($0, message.topic) })
            {
                // Retained or not: it says what there is, and measures nothing.
                if message.payload.count <= limits.payload { announced.append((message.topic, message.payload)) }
                return
            }
            if readMapped(message, received: received, policy) { return }
            let error = PayloadError(.unsupported, "no mapping's conditions fit the message; vigil map test tells why")
            return refuse([error], whole: true, of: message, from: nil, ask: ask(message, from: nil, at: received), at: received)
        }
        var place: Int?
        do throws(PayloadError) {
            let known = try devices.place(of: message.topic, at: received)
            place = known
            if message.retained { return passOver(message, from: known, at: received) }
            try admit(known, at: received, policy)
            var decoded: DecodedReadings
            do throws(PayloadError) {
                decoded = try decode(message, from: known, received: received)
                if decoded.readings.isEmpty {
                    if isMapped(message, from: known, received: received, policy) { return }
                    if let first = decoded.refusals.first { decoded.refusals[0] = reason(for: first, message) }
                }
            } catch {
                // What is none of the suite's own formats may be one that a mapping declares.
                if isMapped(message, from: known, received: received, policy) { return }
                throw reason(for: error, message)
            }
            checkClock(of: known, &decoded, received: received, policy)
            let ask = ask(message, wish: decoded.receipt, from: known, at: received)
            addUnlessFlood(decoded, of: message, from: known, ask: ask, received: received)
        } catch {
            refuse([error], whole: true, of: message, from: place, ask: ask(message, from: place, at: received), at: received)
        }
    }

    private mutating func isMapped(_ message: IncomingMessage, from place: Int, received: Timestamp, _ policy: DevicePolicy) -> Bool {
        guard !mappings.mappings.isEmpty, mappings.listens(to: message.topic) else { return false }
        return readMapped(message, from: place, received: received, policy)
    }

    /// The reason why a message is none of the suite's own formats, where that says that something is missing: it may not be the suite's, and what
    /// kept the mappings from reading it is the true one.
    private func reason(for error: PayloadError, _ message: IncomingMessage) -> PayloadError {
        guard error.code == .missing, mappings.listens(to: message.topic) else { return error }
        do throws(PayloadError) {
            _ = try MappingFormat.json.read(message.payload, columns: [], separator: ",")
            return error
        } catch let unreadable {
            return unreadable
        }
    }

    /// The place of the message's wish for a receipt, if it has one.
    mutating func ask(_ message: IncomingMessage, wish: ReceiptWish? = nil, from place: Int?, at received: Timestamp) -> Int? {
        let address = place.map { devices[$0].address } ?? .unknown
        // Where nobody knows whose a message is, nobody knows its sender's own topic for receipts either.
        if place == nil, message.properties.responseTopic == nil, wish?.responseTopic == nil { return nil }
        do throws(PayloadError) {
            guard let request = try ReceiptRequest(message, wish: wish, from: address) else { return nil }
            // A message that is nobody's names its account itself: it could be anybody's.
            if let account = request.account, !isAnswered(account, address.participant) {
                throw PayloadError(.badTopic, "the response topic is that of an account that sends nothing for this participant")
            }
            result.receiptRequests.append(request)
            return result.receiptRequests.count - 1
        } catch {
            // The readings are not to suffer for it.
            let reason = error.reason + "; there is no receipt, and the message is taken as if none had been asked for"
            let error = PayloadError(error.code, reason)
            tell(error, count: 0, of: message, from: place, at: received)
            return nil
        }
    }

    private mutating func decode(
        _ message: IncomingMessage, from place: Int, received: Timestamp
    ) throws(PayloadError) -> DecodedReadings {
        guard !message.payload.isEmpty else { throw PayloadError(.malformed, "the payload is empty", offset: 0) }
        guard message.payload.count <= limits.payload else {
            throw PayloadError(.tooLarge, "the payload is larger than \(limits.payload) bytes")
        }
        guard !message.payload.starts(with: Self.byteOrderMark) else {
            throw PayloadError(.malformed, "the payload begins with a byte order mark (EF BB BF): send UTF-8 without it", offset: 0)
        }
        let format = try formats.select(contentType: message.properties.contentType, bytes: message.payload.span)
        let stamp = stamp(of: message, from: place, received: received)
        var decoded = try format.decode(message.payload.span, received: stamp)
        guard !decoded.readings.isEmpty || !decoded.refusals.isEmpty else {
            throw PayloadError(.missing, "the message holds no reading that is known (\(format.name))", offset: 0)
        }
        guard (decoded.session?.utf8.count ?? 0) <= MessageReader.longestSession else {
            throw PayloadError(.tooLarge, "the session's name is longer than \(MessageReader.longestSession) bytes", path: "$.session")
        }
        if decoded.isStamped { keep(stamp, of: message, from: place, received: received, &decoded) }
        return decoded
    }

    /// Returns whether readings wait in their device's own line, as it has used its budget up.
    private mutating func defers(
        _ readings: [(observation: Observation, part: String?)], from place: Int, ask: Int?, at time: Timestamp
    ) -> Bool {
        guard let budget, !readings.isEmpty else { return false }
        let cost = readings.reduce(0) { $0 + WorkCost.of($1.observation) }
        guard !devices.affords(cost, of: place, rate: budget, at: time) else { return false }
        result.deferred += readings.count
        return true
    }

    private var deferral: String {
        "its device sends more than \(Int(budget ?? 0)) readings a second: what exceeds that is stored in turn, behind everybody's"
    }

    /// Refuses a message of a device of which so much waits already that the outbox's room is needed for others.
    func checkLine(of place: Int) throws(PayloadError) {
        let waiting = deferredLines.bytes(of: DeferredLines.name(devices[place].address))
        guard waiting < lineLimit else {
            throw PayloadError(
                .tooFast, "\(waiting >> 20) MiB of the device's readings wait to be stored already; send this again once there are receipts"
            )
        }
    }

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    /// The longest name of a session, in bytes.
    private static let longestSession = 256

    /// Takes a message's readings; returns whether all of them were good.
    mutating func add(
        _ decoded: DecodedReadings, of message: IncomingMessage, from place: Int, ask: Int?, received: Timestamp
    ) -> Bool {
        var errors = decoded.refusals
        let address = devices[place].address
        var accepted: [(observation: Observation, part: String?)] = []
        var refused: [Observation] = []
        accepted.reserveCapacity(decoded.readings.count)
        for located in decoded.readings {
            if errors.count >= limits.listedRefusals || located.observation.metric.utf8.count > Name.maximumLength, isUnknown(located) {
                errors.append(PayloadError(.unknownMetric, "the metric is not in the catalogue", path: located.path("metric")))
                continue
            }
            do throws(PayloadError) {
                let observation = try normaliser.normalise(located, now: received)
                if case .native = located.notation, MessageReader.isClockUnset(located.observation.time) {
                    let reason = "the time lies in 1970: it counts from a device's start, or from a clock that was never set"
                    throw PayloadError(
                        .implausibleTime, reason, offset: Int(located.offsets.time), path: located.path("time"))
                }
                accepted.append((observation, located.part))
                // Sent as a reading it is stored as one, and known of the device.
                if observation.metric == DeviceAspect.battery.metric, case .value(let charge) = observation.content {
                    devices[place].change?.state.battery = charge
                    result.readBatteries.insert(devices[place].address)
                }
            } catch {
                if refused.count < limits.listedRefusals { refused.append(located.observation) }
                errors.append(error)
            }
        }
        noteExtremes(refused + decoded.unreadable, accepted, from: place, at: received)
        if accepted.count > 1 { MessageReader.tellApart(&accepted) }
        if !errors.isEmpty { errors += MessageReader.takeHalfPressures(from: &accepted) }
        let isDeferred = defers(accepted, from: place, ask: ask, at: received)
        for (observation, part) in accepted {
            assembler.add(
                observation, from: address, part: part, session: decoded.session, received: received, ask: ask, isDeferred: isDeferred)
        }
        result.accepted += accepted.count
        devices[place].change?.accepted += accepted.count
        if let ask {
            result.receiptRequests[ask].accepted += accepted.count
            if let remark = decoded.remark(on: message.payload.span) { result.receiptRequests[ask].reason = remark }
            if isDeferred { result.receiptRequests[ask].reason = result.receiptRequests[ask].reason ?? deferral }
        }
        if !errors.isEmpty { refuse(errors, whole: false, of: message, from: place, ask: ask, at: received) }
        return errors.isEmpty
    }

    /// Notes extreme values that were refused, and that the device sends others of their metrics again.
    private mutating func noteExtremes(
        _ refused: [Observation], _ accepted: [(observation: Observation, part: String?)], from place: Int, at time: Timestamp
    ) {
        let metrics = Set(accepted.lazy.map(\.observation.metric))
        if !devices[place].extremes.isEmpty {
            for metric in metrics.sorted() where devices[place].endsExtreme(metric, at: time) {
                result.notices.append(.extreme(devices[place].address, metric: metric, isOn: false))
            }
        }
        if metrics.contains("oxygen-saturation") { devices[place].pulseAlone = nil }
        guard !refused.isEmpty else { return }
        var found = Set(refused.compactMap { ExtremeReading.metric(of: $0, in: normaliser.catalogue, received: time) })
        let hasPulse = metrics.contains("pulse-rate") || metrics.contains("heart-rate")
        let isLost = hasPulse && refused.contains { ExtremeReading.isLostSaturation($0, received: time) }
        if isLost, devices[place].lacksSaturation(at: time) { found.insert("oxygen-saturation") }
        for metric in found.sorted() where devices[place].tellsExtreme(metric, at: time) {
            result.notices.append(.extreme(devices[place].address, metric: metric, isOn: true))
        }
    }

    /// Returns whether a time is within a year of a clock's zero.
    private static func isClockUnset(_ time: Timestamp) -> Bool { (0..<31_536_000_000_000).contains(time.microseconds) }

    /// Returns whether its metric is refused as nobody knows it. Looking for what was meant takes far longer, and is for those that are told.
    private func isUnknown(_ located: ParsedObservation) -> Bool {
        let name = located.observation.metric, catalogue = normaliser.catalogue
        return !normaliser.acceptsUnknownMetrics && catalogue.definition(named: name) == nil && catalogue.definition(for: name) == nil
    }

    mutating func refuse(
        _ errors: [PayloadError], whole: Bool, of message: IncomingMessage, from place: Int?, ask: Int?, at time: Timestamp
    ) {
        result.refused += errors.count
        if let ask {
            result.receiptRequests[ask].refused += errors.count
            result.receiptRequests[ask].reason = errors.first?.description ?? result.receiptRequests[ask].reason
        }
        guard place.map({ note(errors, from: $0, at: time) }) ?? true else { return }
        for error in errors.prefix(limits.listedRefusals) {
            tell(error, count: whole ? 0 : errors.count, of: message, from: place, at: time)
        }
    }

    /// Tells the sender, as long as there are not too many.
    mutating func tell(_ error: PayloadError, count: Int, of message: IncomingMessage, from place: Int?, at time: Timestamp) {
        let (isAllowed, omitted) = devices.allowsReject(of: place, at: time)
        guard isAllowed else { return }
        let address = place.map { devices[$0].address } ?? .unknown
        result.refusals.append(
            Rejection(address: address, error: error, count: count, omitted: omitted, topic: message.topic, payload: message.payload))
    }
}

extension String {
    /// A Boolean value that indicates whether it starts with `vigil/v1/ingest/`. Every message is asked, so it looks at two words.
    fileprivate var isBelowIngest: Bool {
        let bytes = utf8Span.span.bytes
        guard bytes.byteCount >= 16 else { return false }
        let first = UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: 0, as: UInt64.self))
        let second = UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: 8, as: UInt64.self))
        return first == 0x3176_2F6C_6967_6976 && second == 0x2F74_7365_676E_692F
    }
}
