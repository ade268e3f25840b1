import VigilSchema

/// What is known of a device while messages are read.
struct DeviceRecord: Sendable {
    let address: DeviceAddress
    var clock: ClockSkewEstimator
    var repeats = DuplicateFilter()
    var rate = TokenBucket()
    /// When a reject for being quarantined was published last.
    var lastQuarantineReject: Timestamp?
    /// Since it was handed on.
    var change: DeviceChange?

    init(_ address: DeviceAddress, offset: Int64?) {
        self.address = address
        clock = ClockSkewEstimator(offset: offset)
    }

    /// Notes a message. True where it is the first since the changes were handed on.
    mutating func note(at time: Timestamp) -> Bool {
        defer { change?.messages += 1 }
        guard change == nil else {
            change?.lastSeen = time
            return false
        }
        change = DeviceChange(address: address, at: time)
        return true
    }
}
