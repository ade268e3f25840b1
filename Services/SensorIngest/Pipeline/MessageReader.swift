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
    private let normaliser: Normaliser
    private let limits: Limits
    private var assembler: BatchAssembler
    var devices: DeviceCache
    var result = IngestResult()

    package init(
        formats: PayloadFormats = .standard, normaliser: Normaliser = Normaliser(), limits: Limits = Limits(),
        batchLimits: BatchAssembler.Limits = BatchAssembler.Limits(), deviceRules: DeviceRules = DeviceRules()
    ) {
        self.formats = formats
        self.normaliser = normaliser
        self.limits = limits
        assembler = BatchAssembler(limits: batchLimits)
        devices = DeviceCache(deviceRules: deviceRules)
    }

    /// Reads messages that were received together, in their order.
    package mutating func read(
        _ messages: [IncomingMessage], received: Timestamp, policy: DevicePolicy = DevicePolicy()
    ) -> IngestResult {
        devices.begin()
        for message in messages { read(message, received: received, policy) }
        devices.end()
        defer { result = IngestResult() }
        result.batches = assembler.finish(at: received)
        return result
    }

    private mutating func read(_ message: IncomingMessage, received: Timestamp, _ policy: DevicePolicy) {
        var place: Int?
        do {
            let known = try devices.place(of: message.topic, at: received)
            place = known
            try admit(known, at: received, policy)
            var decoded = try decode(message, received: received)
            checkClock(of: known, &decoded, received: received, policy)
            let ask = ask(message, from: devices[known].address)
            if ask == nil, isFlood(known, message, decoded, received: received) { return }
            add(decoded, of: message, from: known, ask: ask, received: received)
        } catch {
            let address = place.map { devices[$0].address } ?? .unknown
            refuse([error], whole: true, of: message, from: place, ask: ask(message, from: address), at: received)
        }
    }

    /// The place of the message's wish for a receipt, if it has one.
    private mutating func ask(_ message: IncomingMessage, from address: DeviceAddress) -> Int? {
        do throws(PayloadError) {
            guard let request = try ReceiptRequest(message, from: address) else { return nil }
            result.receiptRequests.append(request)
            return result.receiptRequests.count - 1
        } catch {
            // The readings are not to suffer for it.
            let reason = error.reason + "; there is no receipt, and the message is taken as if none had been asked for"
            let error = PayloadError(error.code, reason)
            result.refusals.append(Refusal(address: address, error: error, count: 0, topic: message.topic, payload: message.payload))
            return nil
        }
    }

    private func decode(_ message: IncomingMessage, received: Timestamp) throws(PayloadError) -> DecodedReadings {
        guard !message.payload.isEmpty else { throw PayloadError(.malformed, "the payload is empty", offset: 0) }
        guard message.payload.count <= limits.payload else {
            throw PayloadError(.tooLarge, "the payload is larger than \(limits.payload) bytes")
        }
        let format = try formats.select(contentType: message.properties.contentType, bytes: message.payload.span)
        return try format.decode(message.payload.span, received: received)
    }

    private mutating func add(
        _ decoded: DecodedReadings, of message: IncomingMessage, from place: Int, ask: Int?, received: Timestamp
    ) {
        var errors = decoded.refusals
        let address = devices[place].address
        var accepted = 0
        for located in decoded.readings {
            do {
                let observation = try normaliser.normalise(located, now: received)
                assembler.add(observation, from: address, session: decoded.session, received: received, ask: ask)
                accepted += 1
            } catch {
                errors.append(error)
            }
        }
        result.accepted += accepted
        devices[place].change?.accepted += accepted
        if let ask { result.receiptRequests[ask].accepted = accepted }
        if !errors.isEmpty { refuse(errors, whole: false, of: message, from: place, ask: ask, at: received) }
    }

    private mutating func refuse(
        _ errors: [PayloadError], whole: Bool, of message: IncomingMessage, from place: Int?, ask: Int?, at time: Timestamp
    ) {
        result.refused += errors.count
        if let ask {
            result.receiptRequests[ask].refused = errors.count
            result.receiptRequests[ask].reason = errors.first?.description
        }
        guard place.map({ note(errors, from: $0, at: time) }) ?? true else { return }
        let address = place.map { devices[$0].address } ?? .unknown
        for error in errors.prefix(limits.listedRefusals) {
            result.refusals.append(
                Refusal(
                    address: address, error: error, count: whole ? 0 : errors.count, topic: message.topic, payload: message.payload))
        }
    }
}
