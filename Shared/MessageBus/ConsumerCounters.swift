/// What a consumer has done so far. `received` = `acknowledged` + `returned` + `inFlight`.
package struct ConsumerCounters: Sendable, Hashable {
    /// Messages taken from the broker, repeats counted again.
    package var received = 0
    /// Messages handed over in batches.
    package var delivered = 0
    /// Messages whose acknowledgement was released to the connection.
    package var acknowledged = 0
    /// Messages that come again: rejected, or read over a connection that broke before they were settled.
    package var returned = 0
    /// Batches given back by `settle(.rejected)`.
    package var rejectedBatches = 0
    package var batches = 0
    /// Connections after the first.
    package var reconnects = 0
    /// Messages read and not yet settled.
    package var inFlight: Int { received - acknowledged - returned }

    package init() {}
}
