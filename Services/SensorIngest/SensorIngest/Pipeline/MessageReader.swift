package import MessageBus
package import VigilSchema

/// Turns device messages into canonical batches and refusals. A value without I/O: what comes out depends on what goes in.
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

    /// What a run of messages became.
    package struct Result: Sendable {
        package var batches: [BatchAssembler.Closed] = []
        package var refusals: [Refusal] = []
        /// The wishes for receipts, in the order of their messages; `BatchAssembler.Closed.asks` are places in it.
        package var asks: [ReceiptRequest] = []
        /// Readings that were accepted.
        package var accepted = 0
        /// Readings that were refused; a message refused as a whole counts as one.
        package var refused = 0

        /// Wishes of which nothing is on its way to the store: they can be answered at once.
        package var settledAsks: [ReceiptRequest] { asks.filter { $0.accepted == 0 } }
    }

    private let formats: PayloadFormats
    private let normaliser: Normaliser
    private let limits: Limits
    private var addresses = AddressBook()
    private var assembler: BatchAssembler
    private var result = Result()

    package init(
        formats: PayloadFormats = .standard, normaliser: Normaliser = Normaliser(), limits: Limits = Limits(),
        batchLimits: BatchAssembler.Limits = BatchAssembler.Limits()
    ) {
        self.formats = formats
        self.normaliser = normaliser
        self.limits = limits
        assembler = BatchAssembler(limits: batchLimits)
    }

    /// Reads messages that were received together, in their order.
    package mutating func read(_ messages: [IncomingMessage], received: Timestamp) -> Result {
        for message in messages { read(message, received: received) }
        defer { result = Result() }
        result.batches = assembler.finish(at: received)
        return result
    }

    private mutating func read(_ message: IncomingMessage, received: Timestamp) {
        var address = DeviceAddress.unknown
        do {
            address = try addresses.address(of: message.topic)
            let decoded = try decode(message, received: received)
            add(decoded, of: message, from: address, ask: ask(message, from: address), received: received)
        } catch {
            refuse([error], whole: true, of: message, from: address, ask: ask(message, from: address))
        }
    }

    /// The place of the message's wish for a receipt, if it has one.
    private mutating func ask(_ message: IncomingMessage, from address: DeviceAddress) -> Int? {
        guard let request = ReceiptRequest(message, from: address) else { return nil }
        result.asks.append(request)
        return result.asks.count - 1
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
        _ decoded: DecodedReadings, of message: IncomingMessage, from address: DeviceAddress, ask: Int?,
        received: Timestamp
    ) {
        var errors = decoded.refusals
        for located in decoded.readings {
            do {
                let observation = try normaliser.normalise(located, now: received)
                assembler.add(observation, from: address, session: decoded.session, received: received, ask: ask)
                result.accepted += 1
                if let ask { result.asks[ask].accepted += 1 }
            } catch {
                errors.append(error)
            }
        }
        if !errors.isEmpty { refuse(errors, whole: false, of: message, from: address, ask: ask) }
    }

    private mutating func refuse(
        _ errors: [PayloadError], whole: Bool, of message: IncomingMessage, from address: DeviceAddress, ask: Int?
    ) {
        result.refused += errors.count
        if let ask {
            result.asks[ask].refused = errors.count
            result.asks[ask].reason = errors.first?.description
        }
        for error in errors.prefix(limits.listedRefusals) {
            result.refusals.append(
                Refusal(
                    address: address, error: error, count: whole ? 0 : errors.count, topic: message.topic, payload: message.payload))
        }
    }
}
