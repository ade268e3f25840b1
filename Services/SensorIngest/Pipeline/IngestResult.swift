package import MessageBus
package import VigilSchema

/// The outcome of a run of messages.
package struct IngestResult: Sendable {
    package var batches: [BatchAssembler.Closed] = []
    package var refusals: [Rejection] = []
    /// The wishes for receipts, in the order of their messages; `BatchAssembler.Closed.asks` are places in it.
    package var receiptRequests: [ReceiptRequest] = []
    /// Readings that were accepted.
    package var accepted = 0
    /// Readings that were refused; a message refused as a whole counts as one.
    package var refused = 0
    /// Readings that a device repeats over and over, and that were held back.
    package var heldBack = 0
    /// The news of devices for operators.
    package var notices: [DeviceNotice] = []
    /// The charge of batteries that devices reported beside their readings, in per cent.
    package var batteries: [DeviceAddress: Double] = [:]
    /// Devices that sent that charge as a reading, which speaks for itself.
    package var readBatteries: Set<DeviceAddress> = []
    /// The times given to messages that brought none, by message.
    package var stamps: [ArrivalStamps.Key: Timestamp] = [:]
    /// Messages refused because their device exceeded its rate.
    package var tooFast = 0
    /// Readings, among the accepted, that wait in the line of a device that sends more than its budget.
    package var deferred = 0

    package init() {}

    /// Wishes of which nothing is on its way to the store: they can be answered at once.
    package var settledReceiptRequests: [ReceiptRequest] { receiptRequests.filter { $0.accepted == 0 } }
}

/// Something refused, to be told to its sender.
package struct Rejection: Sendable {
    package let address: DeviceAddress
    package let error: PayloadError
    /// The number of readings of the message were refused; 0 where the message was as a whole.
    package let count: Int
    /// Rejects of the same device that were left out before this one.
    package var omitted = 0
    package let topic: String
    package let payload: [UInt8]

    /// The message published on `rejects/<participant>/<device>`.
    package func reject(at time: Timestamp) -> Reject {
        Reject(
            participant: address.participant, device: address.device, time: time, error: error, count: count,
            omitted: omitted == 0 ? nil : omitted, topic: topic, payload: payload)
    }

    /// The same as it is sent.
    package func reply(at time: Timestamp) -> Reply {
        let topic = Topic.reject(participant: address.participant, device: address.device)
        return Reply(to: topic.path, contentType: MediaType.json, expiry: .seconds(3600)) { try reject(at: time).encoded() }
    }
}

/// The sender on an `ingest/<participant>/<device>` topic.
package struct DeviceAddress: Hashable, Sendable {
    package let participant: String
    package let device: String
    /// The participant's share of the bus.
    package let partition: Partition

    package init(participant: String, device: String) {
        self.participant = participant
        self.device = device
        partition = Partition(participant: participant)
    }

    /// A Boolean value that indicates whether it bears the name under which a service tells what it has worked out, which the others pass over.
    ///
    /// In any case of letters: what looks like a service's name to a person is none of a device's. A participant that stands for a service is no
    /// device's either.
    var isOfTheSuite: Bool {
        let device = device.lowercased()
        return ["vigil-alert", "vigil-stress", "vigil-timeline", "vigil-ingest"].contains(device) || device.hasPrefix("vigil-modules")
            || participant.utf8.first == UInt8(ascii: "_") && participant.lowercased().hasPrefix("_module.")
    }

    /// What the source of a measurement that a person typed in begins with; the account's name follows.
    static let manualPrefix = "manual."

    /// Whether its readings are typed in by a person.
    var isManual: Bool { device.hasPrefix(Self.manualPrefix) }

    /// The source of what an account enters by hand; nil where the account's name is too long.
    init?(participant: String, enteredBy account: String) {
        let device = Self.manualPrefix + account
        guard Name.isValid(device) else { return nil }
        self.init(participant: participant, device: device)
    }

    /// Stands in where the topic names nobody.
    package static let unknown = DeviceAddress(participant: "unknown", device: "unknown")
}
