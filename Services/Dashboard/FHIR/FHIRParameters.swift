import FHIRMapping
import Foundation
import Observability
import VigilSchema

/// The parameters of a search. Each is taken by whoever knows it; what is left is refused where the client asks for strict handling, else passed over.
struct FHIRParameters {
    /// One value of a parameter. Commas in it separate alternatives.
    struct Argument {
        let modifier: String?
        let value: String

        /// The alternatives; a backslash makes a comma part of one.
        var alternatives: [String] { FHIRParameters.split(value, at: ",") }
    }

    private static let most = 100
    private static let longest = 4000

    private var left: [(name: String, value: String)]
    /// Those that were taken, as they came: what a page's own link says.
    private(set) var taken: [(name: String, value: String)] = []
    private let format: [String]
    private let isStrict: Bool

    init(_ request: HTTPRequest) {
        let all = request.arguments + Self.form(request)
        left = all.filter { !["_format", "_pretty"].contains($0.name) }
        format = all.filter { $0.name == "_format" }.map(\.value) + [request.headers["accept"] ?? "*/*"]
        isStrict = (request.headers["prefer"] ?? "").split(whereSeparator: { ",; ".contains($0) }).contains("handling=strict")
    }

    /// The parameters of a search that is sent as a form.
    private static func form(_ request: HTTPRequest) -> [(name: String, value: String)] {
        let type = (request.headers["content-type"] ?? "").split(separator: ";").first ?? ""
        guard request.method == "POST", type.lowercased() == "application/x-www-form-urlencoded" else { return [] }
        func decoded(_ text: Substring) -> String { String(text).replacing("+", with: " ").removingPercentEncoding ?? "" }
        return String(decoding: request.body, as: UTF8.self).split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (decoded(parts[0]), parts.count > 1 ? decoded(parts[1]) : "")
        }
    }

    /// Checks that JSON is what the client takes.
    func checkFormat() throws(APIError) {
        guard let wanted = format.first, !wanted.contains("json"), !wanted.contains("*"),
            wanted.contains("xml") || wanted.contains("turtle")
        else { return }
        throw APIError(status: 406, code: "not-acceptable", reason: "there is JSON only: application/fhir+json")
    }

    /// The values of a parameter, each of which a resource must meet.
    /// - Parameter modifiers: those that are known; with another one a search is refused, as FHIR asks for.
    mutating func take(_ name: String, modifiers: Set<String> = []) throws(APIError) -> [Argument] {
        var found: [Argument] = []
        for (key, value) in left {
            let parts = key.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.first.map(String.init) == name else { continue }
            let modifier = parts.count > 1 ? String(parts[1]) : nil
            if let modifier, !modifiers.contains(modifier) { throw .malformed("\(name) is searched without the modifier that is given") }
            guard value.utf8.count <= Self.longest, found.count < Self.most else { throw .malformed("\(name) is too long") }
            taken.append((key, value))
            found.append(Argument(modifier: modifier, value: value))
        }
        left.removeAll { $0.name == name || $0.name.hasPrefix(name + ":") }
        return found.filter { !$0.value.isEmpty }
    }

    /// The only value of a parameter.
    mutating func takeOne(_ name: String, modifiers: Set<String> = []) throws(APIError) -> String? {
        let found = try take(name, modifiers: modifiers)
        guard found.count <= 1 else { throw .malformed("\(name) stands there more than once") }
        return found.first?.value
    }

    /// The number of resources on a page.
    mutating func takeCount() throws(APIError) -> Int {
        guard let text = try takeOne("_count") else { return 100 }
        guard let count = Int(text), count >= 0 else { throw .malformed("_count is no number of resources") }
        return min(count, 1000)
    }

    /// Refuses what nobody took, where the client asks for that.
    func finish() throws(APIError) {
        try checkFormat()
        guard isStrict, let unknown = left.first else { return }
        throw APIError(
            status: 400, code: "not-supported",
            reason: "the parameter \(unknown.name.prefix(60)) is not known here; /fhir/R4/metadata lists those that are")
    }

    /// Splits at commas, or at the first bar, that no backslash stands before.
    static func split(_ text: String, at separator: Character) -> [String] {
        var parts = [""]
        var isEscaped = false
        for character in text {
            if isEscaped {
                // What is no comma is left for the split at a bar.
                if separator == ",", character != "," { parts[parts.count - 1].append("\\") }
                parts[parts.count - 1].append(character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == separator, separator == "," || parts.count == 1 {
                parts.append("")
            } else {
                parts[parts.count - 1].append(character)
            }
        }
        // An empty alternative says nothing: it is none that everything fits.
        return separator == "," ? parts.filter { !$0.isEmpty } : parts
    }
}

/// A code that is searched for: `code`, `system|code`, `|code` or `system|`.
struct FHIRToken: Hashable, Sendable {
    /// Nil: any; empty: none.
    let system: String?
    /// Nil: any of the system.
    let code: String?

    init(_ text: String) {
        let parts = FHIRParameters.split(text, at: "|")
        system = parts.count > 1 ? parts[0] : nil
        let code = parts[parts.count - 1]
        self.code = code.isEmpty ? nil : code
    }

    func matches(system: String, code: String) -> Bool { (self.system ?? system) == system && (self.code ?? code) == code }

    func matches(_ concept: FHIR.CodeableConcept) -> Bool {
        (concept.coding ?? []).contains { matches(system: $0.system, code: $0.code) }
    }

    /// Each value of a parameter as its alternatives.
    static func groups(_ arguments: [FHIRParameters.Argument]) -> [[FHIRToken]] { arguments.map { $0.alternatives.map(FHIRToken.init) } }
}

/// The time that dates with prefixes leave, in which a resource has to begin.
struct FHIRTimes: Sendable {
    /// The years 1 to 9999, which is what the timeline takes.
    static let always = Timestamp(microseconds: -62_135_596_800_000_000)..<Timestamp(microseconds: 253_402_300_800_000_000)

    private(set) var range = always

    /// All times.
    init() {}

    /// - Parameter zone: of dates and times that name none.
    init(_ arguments: [FHIRParameters.Argument], named name: String, zone: TimeZone) throws(APIError) {
        for argument in arguments {
            guard let (prefix, stated) = Self.read(argument.value, zone) else {
                throw .malformed("\(name) is no date with a prefix of eq, ge, gt, le, lt, sa or eb")
            }
            let (start, end): (Timestamp, Timestamp) =
                switch prefix {
                case "ge": (stated.lowerBound, Self.always.upperBound)
                case "gt", "sa": (stated.upperBound, Self.always.upperBound)
                case "lt", "eb": (Self.always.lowerBound, stated.lowerBound)
                case "le": (Self.always.lowerBound, stated.upperBound)
                default: (stated.lowerBound, stated.upperBound)
                }
            let first = max(range.lowerBound, start)
            range = first..<max(first, min(range.upperBound, end))
        }
    }

    /// The times that are in both.
    func overlap(_ other: FHIRTimes) -> FHIRTimes {
        var both = self
        let first = max(range.lowerBound, other.range.lowerBound)
        both.range = first..<max(first, min(range.upperBound, other.range.upperBound))
        return both
    }

    /// A Boolean value that indicates whether all times are wanted.
    var isAlways: Bool { range == Self.always }

    private static func read(_ text: String, _ zone: TimeZone) -> (prefix: String, Range<Timestamp>)? {
        let prefix = String(text.prefix { $0.isLetter })
        guard ["", "eq", "ge", "gt", "le", "lt", "sa", "eb"].contains(prefix) else { return nil }
        // A plus sign that was not encoded arrives as a space.
        let rest = String(text.dropFirst(prefix.count)).replacing(" ", with: "+")
        return (rest.contains("T") ? moment(rest, zone) : day(rest, zone)).map { (prefix, $0) }
    }

    /// A year, a month or a day on the clock of a zone.
    private static func day(_ text: String, _ zone: TimeZone) -> Range<Timestamp>? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        let isWellFormed = zip(parts, [4, 2, 2]).allSatisfy { part, length in
            part.utf8.count == length && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
        }
        guard isWellFormed, (1...3).contains(parts.count) else { return nil }
        let numbers = parts.compactMap { Int($0) }
        let first = CivilDate(year: numbers[0], month: numbers.count > 1 ? numbers[1] : 1, day: numbers.count > 2 ? numbers[2] : 1)
        guard numbers[0] > 0, first.isValid else { return nil }
        let next =
            switch numbers.count {
            case 1: CivilDate(year: numbers[0] + 1, month: 1, day: 1)
            case 2:
                numbers[1] == 12
                    ? CivilDate(year: numbers[0] + 1, month: 1, day: 1) : CivilDate(year: numbers[0], month: numbers[1] + 1, day: 1)
            default: CivilDate(daysSince1970: first.daysSince1970 + 1)
            }
        return start(of: first, zone)..<start(of: next, zone)
    }

    /// A time to the minute, the second or a part of it.
    private static func moment(_ text: String, _ zone: TimeZone) -> Range<Timestamp>? {
        let clock = text.split(separator: "T", maxSplits: 1).last ?? ""
        let digits = clock.prefix { !"Z+-".contains($0) }
        let isZoned = digits.count < clock.count
        guard let read = DateTimeText(isZoned ? text : text + "Z") else { return nil }
        let shift = isZoned ? 0 : Double(offset(of: zone, at: read.time))
        let start = read.time.advanced(bySeconds: -shift)
        let fraction = digits.split(separator: ".").count > 1 ? digits.split(separator: ".")[1].count : 0
        let length: Int64 = digits.count == 5 ? 60_000_000 : (0..<min(6, fraction)).reduce(1_000_000) { length, _ in length / 10 }
        return start..<Timestamp(microseconds: start.microseconds + length)
    }

    private static func start(of date: CivilDate, _ zone: TimeZone) -> Timestamp {
        let midnight = Timestamp(microseconds: Int64(date.daysSince1970) * 86_400_000_000)
        return midnight.advanced(bySeconds: -Double(offset(of: zone, at: midnight)))
    }

    /// Seconds from UTC at a time that is given on the zone's own clock.
    private static func offset(of zone: TimeZone, at local: Timestamp) -> Int {
        let first = zone.secondsFromGMT(for: Date(timeIntervalSince1970: local.seconds))
        return zone.secondsFromGMT(for: Date(timeIntervalSince1970: local.seconds - Double(first)))
    }
}
