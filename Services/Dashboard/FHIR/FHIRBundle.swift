import FHIRMapping
import Foundation
import Observability
import VigilSchema

/// A resource of any type, with what a search orders by.
struct FHIRResource: Encodable, Sendable {
    let type: String
    let id: String
    /// Of what it tells; a Patient has none.
    let time: Timestamp
    let content: any Encodable & Sendable

    init(_ type: String, _ id: String, at time: Timestamp = Timestamp(microseconds: 0), _ content: any Encodable & Sendable) {
        (self.type, self.id, self.time, self.content) = (type, id, time, content)
    }

    /// Nil where it is of another type.
    var observation: FHIR.Observation? { content as? FHIR.Observation }

    func encode(to encoder: any Encoder) throws { try content.encode(to: encoder) }
}

/// A page of a search.
struct FHIRBundle: Encodable {
    struct Link: Encodable {
        let relation: String
        let url: String
    }

    struct Entry: Encodable {
        struct Search: Encodable {
            let mode = "match"
        }

        let fullUrl: String
        let resource: FHIRResource
        var search: Search? = Search()
    }

    let resourceType = "Bundle"
    let type = "searchset"
    /// Nil where nobody counted.
    var total: Int?
    let link: [Link]
    /// Nil where there are none: FHIR has no empty lists.
    let entry: [Entry]?

    /// - Parameters:
    ///   - path: of the search below the base, for example `Observation`.
    ///   - next: the place at which the next page begins; nil where there is none.
    init(
        _ resources: [FHIRResource], _ parameters: FHIRParameters, of path: String, base: String, total: Int? = nil, next: FHIRPlace? = nil
    ) {
        let asked = parameters.taken.filter { $0.name != FHIRPlace.parameter }
        let here = parameters.taken.filter { $0.name == FHIRPlace.parameter }
        var links = [Link(relation: "self", url: Self.url(base, path, asked + here))]
        if let next { links.append(Link(relation: "next", url: Self.url(base, path, asked + [(FHIRPlace.parameter, next.text)]))) }
        (self.total, link) = (total, links)
        entry = resources.isEmpty ? nil : resources.map { Entry(fullUrl: "\(base)/\($0.type)/\($0.id)", resource: $0) }
    }

    private static func url(_ base: String, _ path: String, _ arguments: [(name: String, value: String)]) -> String {
        let query = arguments.map { "\(escaped($0.name))=\(escaped($0.value))" }.joined(separator: "&")
        return "\(base)/\(path)" + (query.isEmpty ? "" : "?" + query)
    }

    private static let plain = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:,/$")

    private static func escaped(_ text: String) -> String { text.addingPercentEncoding(withAllowedCharacters: plain) ?? "" }
}

/// A place between two resources of a search, in the order of time and id. It gives no right: each page is checked as the first one is.
struct FHIRPlace: Hashable, Sendable {
    static let parameter = "_place"

    let time: Timestamp
    /// The last resource of that time that was given; empty: none was.
    let id: String
    /// The part of `$everything`; empty in any other search.
    let part: String

    init(time: Timestamp, id: String, part: String = "") { (self.time, self.id, self.part) = (time, id, part) }

    init(behind resource: FHIRResource) { self.init(time: resource.time, id: resource.id) }

    /// Nil for a text that is none.
    init?(_ text: String) {
        var base64 = text.replacing("-", with: "+").replacing("_", with: "/")
        base64 += String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        guard text.utf8.count <= 200, let data = Data(base64Encoded: base64) else { return nil }
        let parts = String(decoding: data, as: UTF8.self).split(separator: "/", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), let microseconds = Int64(parts[0]) else { return nil }
        let always = FHIRTimes.always
        guard (always.lowerBound.microseconds...always.upperBound.microseconds).contains(microseconds) else { return nil }
        self.init(time: Timestamp(microseconds: microseconds), id: String(parts[1]), part: parts.count > 2 ? String(parts[2]) : "")
    }

    var text: String {
        Data("\(time.microseconds)/\(id)\(part.isEmpty ? "" : "/" + part)".utf8).base64EncodedString().replacing("+", with: "-").replacing(
            "/", with: "_"
        ).replacing(
            "=", with: "")
    }
}

extension FHIRParameters {
    /// The place at which the page begins; nil: the first page.
    mutating func takePlace() throws(APIError) -> FHIRPlace? {
        guard let text = try takeOne(FHIRPlace.parameter) else { return nil }
        guard let place = FHIRPlace(text) else { throw .malformed("this is no link that a search has given") }
        return place
    }
}

extension FHIR {
    /// A resource as an answer.
    static func response(_ resource: some Encodable) -> HTTPResponse {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Plain members always encode; the timeline keeps no number that is not finite.
        return response((try? encoder.encode(resource)).map { [UInt8]($0) } ?? Array("{}".utf8))
    }

    static func response(_ json: [UInt8]) -> HTTPResponse {
        HTTPResponse(headers: ["Content-Type": "application/fhir+json"], body: .bytes(json))
    }
}
