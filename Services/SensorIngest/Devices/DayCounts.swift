import Foundation
import VigilSchema

/// The counts of a device's day counters, so that a counter that starts anew takes nothing away from its day.
///
/// A day's total is the sum of the increases seen on that day. Of a count that is smaller than the one before it is decided what it is:
/// - The one before was a stray: the one before that was not larger than this one.
/// - Below half of it the counter was reset, and counts on from 0. A reset is taken back where the former count returns within ten minutes.
/// - Any other is a revision by the device.
///
/// A count that continues over midnight, within six hours of the one before, adds only its increase to the new day.
struct DayCounts: Sendable, Hashable, Codable {
    /// A counter of the device.
    struct Counter: Sendable, Hashable, Codable {
        /// The canonical name.
        let metric: String
        var part: String?
    }

    /// More counters of one device are not followed: names of parts are the publisher's choice.
    private static let maximumCounters = 16
    private var courses: [Counter: DayCourse] = [:]

    var isEmpty: Bool { courses.isEmpty }

    /// Returns the day's total.
    /// - Parameters:
    ///   - count: The counter's own count, in the canonical unit.
    ///   - day: The beginning of the day.
    ///   - time: The time of the count, on that day.
    mutating func total(_ counter: Counter, _ count: Double, day: Timestamp, at time: Timestamp) -> Double {
        guard var course = courses[counter] else {
            makeRoom()
            courses[counter] = DayCourse(day: day.microseconds, newest: time.microseconds, last: count)
            return count
        }
        let total = course.total(count, day: day.microseconds, at: time.microseconds)
        courses[counter] = course
        return total
    }

    /// Forgets the counter that was heard longest ago where there are too many.
    private mutating func makeRoom() {
        guard courses.count >= Self.maximumCounters, let oldest = courses.min(by: { $0.value.newest < $1.value.newest }) else { return }
        courses[oldest.key] = nil
    }
}

/// The course of a counter through the newest day, and what the day before came to. Times are in microseconds since 1970.
struct DayCourse: Sendable, Hashable, Codable {
    /// A day that is over.
    private struct Former: Hashable, Codable {
        let day: Int64
        var last: Double
        let offset: Double
    }

    /// A reset that may be taken back.
    private struct Reset: Hashable, Codable {
        let peak: Double
        let time: Int64
    }

    private static let minute: Int64 = 60_000_000
    /// A count that comes so soon after one of the day before continues it.
    private static let continuation = 360 * minute
    /// A former count that returns so soon shows that the small one was a stray.
    private static let recovery = 10 * minute

    private var day: Int64
    fileprivate private(set) var newest: Int64
    private var last: Double
    /// The count before the last one.
    private var previous: Double?
    /// What is added to the counter's own count: positive after a reset, negative after a midnight without one.
    private var offset = 0.0
    private var reset: Reset?
    private var former: Former?

    init(day: Int64, newest: Int64, last: Double) { (self.day, self.newest, self.last) = (day, newest, last) }

    /// Returns the total of the count's day.
    mutating func total(_ count: Double, day other: Int64, at time: Int64) -> Double {
        guard other >= day else { return formerTotal(count, other) }
        if other > day { begin(other, count, at: time) } else { take(count, at: time) }
        return last + offset
    }

    private mutating func begin(_ other: Int64, _ count: Double, at time: Int64) {
        let isContinued = count >= last && time - newest <= Self.continuation
        former = Former(day: day, last: last, offset: offset)
        (offset, previous, reset) = (isContinued ? -last : 0, isContinued ? last : nil, nil)
        (day, newest, last) = (other, time, count)
    }

    private mutating func take(_ count: Double, at time: Int64) {
        // A message that comes late or again changes nothing.
        guard time >= newest else { return }
        let before = last
        if count < last {
            if previous.map({ $0 <= count }) ?? false {
                // The one before was a stray.
            } else if count < last / 2 {
                reset = Reset(peak: last, time: time)
                offset += last
            }
        } else if let known = reset, time - known.time <= Self.recovery, last < known.peak / 2, count >= 0.8 * known.peak {
            offset -= known.peak
            reset = nil
        }
        (previous, last, newest) = (count < before ? nil : before, count, time)
    }

    /// A count of the day before that comes late may only raise it; one of an earlier day stands for itself.
    private mutating func formerTotal(_ count: Double, _ other: Int64) -> Double {
        guard let known = former, known.day == other else { return count }
        if count > known.last, offset >= 0 { former?.last = count }
        return (former?.last ?? count) + known.offset
    }
}

extension DayCounts {
    /// The counts as a text, for the registry's file.
    var json: String { get throws { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) } }

    /// The counts of such a text; nil where it is none.
    init?(json: String) {
        guard let counts = try? JSONDecoder().decode(Self.self, from: Data(json.utf8)) else { return nil }
        self = counts
    }
}
