import Foundation

/// The medications that are to be taken, and when: `metformin 500 mg 08:00 20:00; ramipril 5 mg 08:00`.
package struct MedicationPlan: Sendable, Equatable {
    package struct Medication: Sendable, Equatable {
        /// In lower case, the first word: what a dose is matched by.
        package let name: String
        /// As it was written, without the times.
        package let description: String
        /// Seconds since midnight, rising.
        package let times: [Int]
    }

    package let medications: [Medication]

    /// Nil where a part has no name or no time.
    package init?(_ text: String) {
        var medications: [Medication] = []
        for part in text.split(separator: ";") {
            let words = part.split(whereSeparator: \.isWhitespace).map(String.init)
            let times = words.compactMap { ClockTime.seconds($0) }
            let rest = words.filter { ClockTime.seconds($0) == nil }
            guard let name = rest.first?.lowercased(), !times.isEmpty, times.count <= 24, !medications.contains(where: { $0.name == name })
            else { return nil }
            medications.append(Medication(name: name, description: rest.joined(separator: " "), times: Set(times).sorted()))
        }
        guard !medications.isEmpty, medications.count <= 50 else { return nil }
        self.medications = medications
    }
}

/// A dose that was due, and when it was taken.
package struct DueDose: Sendable, Equatable {
    package let medication: String
    package let due: Double
    package let taken: Double?

    /// The doses of a medication that were due in a time, each with the dose taken for it.
    ///
    /// A dose counts for the due time that it is nearest to, from three hours before to six hours after it, each once.
    package static func match(
        _ medication: MedicationPlan.Medication, taken: [Double], days: ClosedRange<Int>, until now: Double, _ calendar: PersonCalendar
    ) -> [DueDose] {
        let due = days.flatMap { day in medication.times.map { calendar.time(day: day, second: $0) } }.filter { $0 <= now }.sorted()
        var free = taken.sorted()
        return due.map { time in
            let place = free.indices.filter { free[$0] >= time - 3 * 3600 && free[$0] <= time + 6 * 3600 }.min {
                abs(free[$0] - time) < abs(free[$1] - time)
            }
            // A dose that lies nearer to the next due time belongs there.
            if let place, let next = due.first(where: { $0 > time }), abs(free[place] - next) < abs(free[place] - time) {
                return DueDose(medication: medication.name, due: time, taken: nil)
            }
            return DueDose(medication: medication.name, due: time, taken: place.map { free.remove(at: $0) })
        }
    }
}
