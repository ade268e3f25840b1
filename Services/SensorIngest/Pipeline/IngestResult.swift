/// What a run of messages became.
package struct IngestResult: Sendable {
    package var batches: [BatchAssembler.Closed] = []
    package var refusals: [Refusal] = []
    /// The wishes for receipts, in the order of their messages; `BatchAssembler.Closed.asks` are places in it.
    package var receiptRequests: [ReceiptRequest] = []
    /// Readings that were accepted.
    package var accepted = 0
    /// Readings that were refused; a message refused as a whole counts as one.
    package var refused = 0
    /// Readings that a device repeats over and over, and that were held back.
    package var heldBack = 0
    /// What operators should hear of devices.
    package var notices: [DeviceNotice] = []
    /// How many seconds of reading nothing would make up for what devices sent in excess of their rate.
    package var debt = 0.0

    package init() {}

    /// Wishes of which nothing is on its way to the store: they can be answered at once.
    package var settledReceiptRequests: [ReceiptRequest] { receiptRequests.filter { $0.accepted == 0 } }
}
