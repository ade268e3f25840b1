import Foundation

/// Means, spreads and quantiles of plain numbers, each nil where there are too few.
package enum Statistics {
    package static func mean(_ values: [Double]) -> Double? { values.isEmpty ? nil : values.reduce(0, +) / Double(values.count) }

    /// The sample standard deviation (divisor n − 1).
    package static func deviation(_ values: [Double]) -> Double? {
        guard values.count > 1, let mean = mean(values) else { return nil }
        return (values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count - 1)).squareRoot()
    }

    package static func median(_ values: [Double]) -> Double? { quantile(values, 0.5) }

    /// Linear between the two nearest ranks, as R's type 7 and NumPy have it.
    package static func quantile(_ values: [Double], _ part: Double) -> Double? { quantile(sorted: values.sorted(), part) }

    package static func quantile(sorted values: [Double], _ part: Double) -> Double? {
        guard !values.isEmpty else { return nil }
        let place = min(max(part, 0), 1) * Double(values.count - 1)
        let low = Int(place)
        let high = min(low + 1, values.count - 1)
        return values[low] + (place - Double(low)) * (values[high] - values[low])
    }

    /// The share of values that lie below one, those equal to it counting half, in percent.
    package static func percentile(of value: Double, among values: [Double]) -> Double? {
        guard !values.isEmpty else { return nil }
        let below = values.reduce(0.0) { $0 + ($1 < value ? 1 : $1 == value ? 0.5 : 0) }
        return 100 * below / Double(values.count)
    }

    /// The share of a standard normal distribution that lies below a value, in percent.
    package static func normalPercentile(_ z: Double) -> Double { 50 * erfc(-z / 2.0.squareRoot()) }
}

extension ModuleResult {
    /// Says of several values that they are not known, and why.
    package mutating func unknown(_ names: [String], _ reason: LocalizedText) {
        for name in names where findings[name] == nil { findings[name] = .unknown(reason) }
    }

    /// Keeps a number, or why there is none.
    package mutating func set(_ name: String, _ value: Double?, _ decimals: Int = 1, else reason: LocalizedText) {
        findings[name] = value.map { .number($0, decimals) } ?? .unknown(reason)
    }

    /// Adds a line of the page with a number and its unit.
    package mutating func row(
        _ label: LocalizedText, _ value: Double?, _ decimals: Int = 0, unit: LocalizedText, note: LocalizedText? = nil
    ) {
        guard let value else { return }
        let text = value.written(decimals)
        rows.append(
            PageRow(
                label, LocalizedText("\(text.point) \(unit.en)", de: "\(text.comma) \(unit.de)", ru: "\(text.comma) \(unit.ru)"), note: note
            ))
    }
}

extension LocalizedText {
    /// A unit that is written alike everywhere.
    package static func unit(_ text: String) -> LocalizedText { LocalizedText(text, de: text, ru: text) }
    package static let perMinute = LocalizedText("/min", de: "/min", ru: "/мин")
    package static let percent = unit("%")
}
