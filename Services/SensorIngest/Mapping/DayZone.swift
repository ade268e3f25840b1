import Foundation
import VigilSchema

/// The time zone in which the wearers' days begin, for counts that bring no time of their own.
package struct DayZone: Sendable, Hashable {
    private let zone: TimeZone

    /// The zone of this machine.
    package static let ofMachine = DayZone(.current)

    /// - Parameter identifier: A name such as Europe/Berlin; nil is returned where there is no such zone.
    package init?(identifier: String) {
        guard let zone = TimeZone(identifier: identifier) else { return nil }
        self.init(zone)
    }

    init(_ zone: TimeZone) { self.zone = zone }

    /// A Boolean value that indicates whether it says where wearers live: a container's clock stands at UTC everywhere.
    private var isKnown: Bool { !["UTC", "GMT", "Etc/UTC"].contains(zone.identifier) }

    /// The beginning of a moment's day, and the zone in minutes from UTC; nil where it is only assumed.
    func startOfDay(_ time: Timestamp) -> (time: Timestamp, zone: Int16?) {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        let start = calendar.startOfDay(for: Date(timeIntervalSince1970: time.seconds))
        let minutes = Int16(clamping: zone.secondsFromGMT(for: start) / 60)
        return (Timestamp(seconds: start.timeIntervalSince1970), isKnown ? minutes : nil)
    }
}
