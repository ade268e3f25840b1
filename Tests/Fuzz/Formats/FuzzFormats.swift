import Foundation
import SecondOpinion
import VigilSchema

/// libFuzzer's entry: every format is given the bytes. A trap is a crash that it reports; so is a reading that a second, slow decoder
/// refuses or reads otherwise. Built and run by deploy/fuzz.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFormats(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    if let objection = SecondOpinion.objection(to: bytes) {
        FileHandle.standardError.write(Data("objection: \(objection)\n".utf8))
        abort()
    }
    _ = try? BatchDecoder().decode(bytes.span)
    return 0
}
