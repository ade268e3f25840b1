/// Something about a device that its operator should hear.
package enum DeviceNotice: Sendable, Hashable {
    /// The clock is off by so many seconds, behind if positive; nil: it is right again.
    case clock(DeviceAddress, seconds: Int64?, isCorrected: Bool)
    /// It has been sending more than is allowed for a minute, or for another one.
    case excess(DeviceAddress)
    /// It repeats the same readings.
    case flood(DeviceAddress)

    package var address: DeviceAddress {
        switch self {
        case .clock(let address, _, _), .excess(let address), .flood(let address): address
        }
    }

    /// In words.
    package var description: String {
        switch self {
        case .clock(_, let seconds?, let isCorrected):
            "the device's times are \(abs(seconds)) s \(seconds > 0 ? "behind" : "ahead")" + (isCorrected ? "; they are corrected" : "")
        case .clock(_, nil, _): "the device's clock is right again"
        case .excess: "the device has sent more than its rate limit for a minute; all devices are slowed down"
        case .flood: "the device repeats the same readings; the repeats are held back"
        }
    }
}
