package import ServiceKit

/// A computed value, or the reason why it is unknown.
package enum Finding: Hashable, Sendable, Codable {
    case value(ParameterValue)
    case unknown(LocalizedText)

    package static func number(_ value: Double, _ decimals: Int = 2) -> Finding {
        value.isFinite
            ? .value(.number(value.rounded(to: decimals)))
            : .unknown(LocalizedText("it cannot be computed", de: "es lässt sich nicht berechnen", ru: "не вычисляется"))
    }
    package static func text(_ value: String) -> Finding { .value(.text(value)) }
}

/// A derived observation.
package struct DerivedObservation: Hashable, Sendable, Codable {
    package let metric: String
    /// Unix seconds.
    package let time: Double
    /// The number, else the text.
    package let value: Double?
    package let text: String?
    /// Distinguishes observations of one metric and time; nil: there is only one, or an earlier version derived it.
    package let sequence: Int32?

    package init(_ metric: String, at time: Double, _ value: Double) {
        (self.metric, self.time, self.value, text, sequence) = (metric, time, value, nil, nil)
    }

    /// - Parameter subject: the name of the subject, such as a medication, if there can be several at one time.
    package init(_ metric: String, at time: Double, text: String, of subject: String? = nil) {
        (self.metric, self.time, value, self.text) = (metric, time, nil, text)
        sequence = subject.map(Self.sequence)
    }

    /// A number for a name, the same in every version: 31 bits of FNV-1a.
    private static func sequence(of name: String) -> Int32 {
        let hash = name.utf8.reduce(UInt64(0xcbf2_9ce4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return Int32(truncatingIfNeeded: hash >> 33)
    }
}

/// A module's message to the person.
package struct ModuleMessage: Hashable, Sendable, Codable {
    package enum Kind: String, Sendable, Codable {
        case info
        /// Waits for the end of the person's quiet hours.
        case reminder
        /// Asks for attention, and is sent at any hour.
        case warning
    }

    package let kind: Kind
    /// The meaning of the message, which stays the same for equal messages, for example `no-weight`.
    package let code: String
    package let text: LocalizedText

    package init(_ kind: Kind, _ code: String, _ text: LocalizedText) {
        self.kind = kind
        self.code = code
        self.text = text
    }
}

/// A line of a module's page; the first few are on its tile.
package struct PageRow: Hashable, Sendable, Codable {
    package let label: LocalizedText
    package let value: LocalizedText
    /// The method, or a warning about misuse.
    package let note: LocalizedText?

    package init(_ label: LocalizedText, _ value: LocalizedText, note: LocalizedText? = nil) {
        self.label = label
        self.value = value
        self.note = note
    }
}

/// A chart of a module's page, as data.
package struct PageChart: Hashable, Sendable, Codable {
    /// A line of points with x and y.
    package struct Line: Hashable, Sendable, Codable {
        package let label: LocalizedText
        package let points: [[Double]]

        package init(_ label: LocalizedText, _ points: [[Double]]) {
            self.label = label
            // The number of points that a browser draws in a tile, which also bounds the page's size.
            self.points = points.suffix(400).map { $0.map { $0.rounded(to: 4) } }
        }
    }

    /// The quantity on the x axis.
    package enum Axis: String, Sendable, Codable { case time, hour, weekday, number }

    package let title: LocalizedText
    package let axis: Axis
    package let unit: String
    package let lines: [Line]
    /// A shaded range, such as a target.
    package let band: [Double]?

    package init(_ title: LocalizedText, axis: Axis = .time, unit: String, lines: [Line], band: ClosedRange<Double>? = nil) {
        self.title = title
        self.axis = axis
        self.unit = unit
        self.lines = lines
        self.band = band.map { [$0.lowerBound, $0.upperBound] }
    }
}

/// All results of a module for a person at a time.
package struct ModuleResult: Hashable, Sendable, Codable {
    /// By the parameter's name.
    package var findings: [String: Finding] = [:]
    package var observations: [DerivedObservation] = []
    package var message: ModuleMessage?
    package var rows: [PageRow] = []
    package var charts: [PageChart] = []
    /// The next time in Unix seconds at which something changes by the clock alone; nil: never.
    package var review: Double?

    package init() {}
}
