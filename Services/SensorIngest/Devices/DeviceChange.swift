package import VigilSchema

/// What happened with a device since it was written down last.
package struct DeviceChange: Sendable, Hashable {
    /// The last thing that was refused.
    package struct Refused: Sendable, Hashable {
        package let code: String
        package let reason: String
        package let time: Timestamp
    }

    package let address: DeviceAddress
    package let firstSeen: Timestamp
    package var lastSeen: Timestamp
    package var messages = 0
    package var accepted = 0
    package var refused = 0
    package var lastRefused: Refused?
    /// A new verdict on its clock, nil in it meaning right.
    package var clock: Int64??

    package init(address: DeviceAddress, at time: Timestamp) {
        self.address = address
        firstSeen = time
        lastSeen = time
    }

    /// Adds what happened later.
    mutating func merge(_ later: DeviceChange) {
        lastSeen = later.lastSeen
        messages += later.messages
        accepted += later.accepted
        refused += later.refused
        lastRefused = later.lastRefused ?? lastRefused
        clock = later.clock ?? clock
    }
}
