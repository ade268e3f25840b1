import Foundation
import SensorIngest
import VigilSchema

/// libFuzzer's entry for mappings: a document is a mapping file, a topic and a payload, with a NUL between. A file that is taken must read the
/// payload, and so must the shipped ones, without a trap, and every reading must be one that the suite can write. Built and linked by deploy/fuzz.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMappings(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let parts = UnsafeBufferPointer(start: start, count: count).split(separator: 0, maxSplits: 2, omittingEmptySubsequences: false)
    guard let file = parts.first else { return 0 }
    let topic = parts.count > 1 ? String(decoding: parts[1], as: UTF8.self) : "home/gw/BTtoMQTT/A4"
    let payload = parts.count > 2 ? Array(parts[2]) : Array(file)
    var proposal = MappingProposal()
    proposal.hear(topic: topic, payload: payload)
    guard (try? MappingFile.parse(proposal.text)) != nil else { fail("a proposal that is no mapping file") }
    check(shipped, topic, payload)
    checkAnnouncement(payload)
    guard let own = try? MappingFile.parse(String(decoding: file, as: UTF8.self)) else { return 0 }
    check(own, topic, payload)
    for mapping in own.mappings.prefix(4) {
        for filter in mapping.topics.prefix(4) { check(own, filter.filter.replacing("+", with: "x").replacing("#", with: "y/z"), payload) }
    }
    return 0
}

/// A bridge's announcement is taken or left with a reason, and whatever it leads to reads any payload without a trap and listens to no topic of the
/// suite's own or the broker's.
private func checkAnnouncement(_ payload: [UInt8]) {
    let rules = MappingRules(discoveryPrefix: "homeassistant")
    rules.announce([
        ("homeassistant/sensor/a/config", payload), ("homeassistant/device/b/config", payload),
        ("homeassistant/sensor/c/d/config", payload),
    ])
    guard rules.remarks.allSatisfy({ !$0.text.isEmpty }) else { fail("a remark without a reason") }
    for filter in rules.current.filters.prefix(8) {
        guard !filter.hasPrefix("vigil/"), !filter.hasPrefix("$"), !filter.contains("#"), !filter.contains("+") else {
            fail("listens to \(filter)")
        }
        check(rules.current, filter, payload)
        check(rules.current, filter, Array("61".utf8))
    }
}

/// From the checkout's root, where deploy/fuzz runs.
private let shipped = (try? MappingFile.load(["deploy/mappings"])) ?? MappingSet()

private func check(_ mappings: MappingSet, _ topic: String, _ payload: [UInt8]) {
    guard let parts = try? mappings.read(payload, topic: topic, received: Timestamp(seconds: 1_700_000_000)) else { return }
    let normaliser = Normaliser()
    for part in parts {
        guard Name.isValid(part.address.participant), Name.isValid(part.address.device) else { fail("a name that is none") }
        for parsed in part.decoded.readings {
            guard let reading = try? normaliser.normalise(parsed, now: Timestamp(seconds: 1_700_000_000)) else { continue }
            if case .value(let value) = reading.content, !value.isFinite { fail("a value that is not finite") }
            _ = BatchEncoder.encode(reading)
        }
    }
}

private func fail(_ reason: String) -> Never {
    FileHandle.standardError.write(Data("objection: \(reason)\n".utf8))
    abort()
}
