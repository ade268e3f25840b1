import AlertRules
import Foundation
import StressAnalysis
import VigilSchema

/// libFuzzer's entry for messages that steer: receipts, confirmations, queries, commands, alerts. Whatever is taken must be fit to be checked
/// and written again. Built and linked by deploy/fuzz.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzControl(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    _ = try? Receipt(decoding: bytes).encoded()
    _ = try? Confirmation(decoding: bytes).encoded()
    _ = try? Reject(decoding: bytes).encoded()
    if let alert = try? AlertMessage(decoding: bytes) {
        try? alert.validate()
        _ = try? alert.encoded()
    }
    if let request = try? JSONDecoder().decode(TimelineRequest.self, from: Data(bytes)) { _ = try? JSONEncoder().encode(request) }
    if let command = try? JSONDecoder().decode(CommandMessage.self, from: Data(bytes)) { _ = command.request(now: 1_700_000_000_000_000) }
    _ = try? StressCommand(decoding: bytes)
    return 0
}
