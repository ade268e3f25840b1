import Foundation

/// A SenML record in JSON as Foundation's decoder sees it: the second opinion in differential tests and fuzzing.
struct SlowRecord: Decodable {
    /// What a record means once the base fields are applied.
    struct Resolved {
        let name: String
        let value: Double?
        let text: String?
    }

    private enum CodingKeys: String, CodingKey {
        case bn, bv, n, v, vs, vb
    }

    private let bn: String?
    private let bv: Double?
    private let n: String?
    private let v: Double?
    private let vs: String?
    private let vb: Bool?

    init(from decoder: any Decoder) throws {
        guard let fields = try? decoder.container(keyedBy: CodingKeys.self) else {
            (bn, bv, n, v, vs, vb) = (nil, nil, nil, nil, nil, nil)
            return
        }
        bn = try? fields.decode(String.self, forKey: .bn)
        bv = try? fields.decode(Double.self, forKey: .bv)
        n = try? fields.decode(String.self, forKey: .n)
        v = try? fields.decode(Double.self, forKey: .v)
        vs = try? fields.decode(String.self, forKey: .vs)
        vb = try? fields.decode(Bool.self, forKey: .vb)
    }

    /// The pack's records with the base fields applied. Throws where Foundation refuses the document.
    static func decode(_ bytes: [UInt8]) throws -> [Resolved] {
        var baseName = "", baseValue: Double?
        return try JSONDecoder().decode([SlowRecord].self, from: Data(bytes)).map { record in
            baseName = record.bn ?? baseName
            baseValue = record.bv ?? baseValue
            let value = record.v.map { $0 + (baseValue ?? 0) } ?? record.vb.map { $0 ? 1 : 0 }
            return Resolved(name: baseName + (record.n ?? ""), value: value ?? (record.vs == nil ? baseValue : nil), text: record.vs)
        }
    }
}
