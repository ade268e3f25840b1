import Foundation
import VigilSchema

/// The counts of a device's day counters, so that a counter that starts anew takes nothing away from its day.
///
/// A day's total is the sum of the increases seen on that day. Three things are told apart:
/// - a count below half of the one before: the counter was reset, and counts on from 0;
/// - another smaller count: the device revised its own count;
/// - a count that continues over midnight, within an hour of the one before: the counter was not reset, and only the increase is the new day's.
struct DayCounts: Sendable, Hashable, Codable {
    /// A counter of the device.
    struct Counter: Sendable, Hashable, Codable {
        let metric: String
        let unit: String
        var part: String?
    }

    /// The course of a counter through the newest day. Times are in microseconds since 1970.
    fileprivate struct Course: Hashable, Codable {
        var day: Int64
        var newest: Int64
        var last: Double
        /// What is added to the counter's own count: positive after a reset, negative after a midnight without one.
        var offset = 0.0
        /// The count before the last reset, until the new one has passed half of it.
        var peak: Double?
    }

    /// More counters of one device are not followed: names of parts are the publisher's choice.
    private static let maximumCounters = 16
    /// A count that comes so soon after one of the day before continues it, in microseconds.
    fileprivate static let continuation: Int64 = 3_600_000_000

    private var courses: [Counter: Course] = [:]

    /// Returns the day's total.
    /// - Parameters:
    ///   - count: The counter's own count.
    ///   - day: The beginning of the day.
    ///   - time: The time of the count, on that day.
    mutating func total(_ counter: Counter, _ count: Double, day: Timestamp, at time: Timestamp) -> Double {
        guard let course = courses[counter] else {
            guard courses.count < Self.maximumCounters else { return count }
            courses[counter] = Course(day: day.microseconds, newest: time.microseconds, last: count)
            return count
        }
        guard day.microseconds >= course.day else { return count }
        let next = day.microseconds > course.day ? course.started(day, count, at: time) : course.continued(count, at: time)
        courses[counter] = next
        return next.last + next.offset
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

extension DayCounts.Course {
    /// The course of the next day.
    fileprivate func started(_ day: Timestamp, _ count: Double, at time: Timestamp) -> Self {
        var next = Self(day: day.microseconds, newest: time.microseconds, last: count)
        if count >= last, time.microseconds - newest <= DayCounts.continuation { next.offset = -last }
        return next
    }

    /// The course after another count of the same day.
    fileprivate func continued(_ count: Double, at time: Timestamp) -> Self {
        var next = self
        // A message that comes late or again changes nothing.
        guard time.microseconds >= newest else { return next }
        if count < last / 2 {
            next.peak = last
            next.offset += last
        } else if let peak, last < peak / 2, count >= peak {
            // The former count is back at once: the small one was another device's, or a mistake.
            next.offset -= peak
            next.peak = nil
        } else if let peak, count >= peak / 2 {
            next.peak = nil
        }
        next.last = count
        next.newest = time.microseconds
        return next
    }
}
