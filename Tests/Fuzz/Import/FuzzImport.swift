import Foundation
import JSON5

@testable import CSVImport

/// libFuzzer's entry for what files may hold: records of CSV in every encoding, tags of XML, trainings in FIT, TCX and GPX, JSON and JSON5. Beside a
/// crash it reports a CSV or a training that depends on how many bytes are read at once, and JSON that does not outlive being written. Built and
/// linked by deploy/fuzz.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzImport(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    for encoding in TextEncoding.allCases where records(bytes, encoding, largestRead: .max) != records(bytes, encoding, largestRead: 3) {
        FileHandle.standardError.write(Data("objection: records in \(encoding) depend on the size of reads\n".utf8))
        abort()
    }
    readTags(bytes)
    let trainings: [(Int) -> any ByteSource] = [
        { FITSource(source: MemorySource(bytes, largestRead: $0)) },
        { TrainingXML(tags: XMLTagReader(MemorySource(bytes, largestRead: $0))) },
    ]
    for training in trainings where content(training(.max)) != content(training(3)) {
        FileHandle.standardError.write(Data("objection: a training depends on the size of reads\n".utf8))
        abort()
    }
    readJSON(bytes)
    _ = try? JSON5Parser.parse(utf8: bytes)
    return 0
}

private func readJSON(_ bytes: [UInt8]) {
    var scanner = JSONScanner(MemorySource(bytes, largestRead: 5), name: "fuzz")
    // What was read is written again, and must then be the same.
    while let value = try? scanner.value() {
        var again = JSONScanner(MemorySource(Array(value.json.utf8), largestRead: .max), name: "again")
        guard let second = try? again.value(), second == value else {
            FileHandle.standardError.write(Data("objection: a value is another when it is written and read again\n".utf8))
            abort()
        }
        guard (try? scanner.take(0x2C)) == true else { return }
    }
}

private func records(_ bytes: [UInt8], _ encoding: TextEncoding, largestRead: Int) -> [[String]] {
    let plain = MemorySource(bytes, largestRead: largestRead)
    var reader = CSVReader(
        encoding == .utf8 ? plain : TranscodingSource(plain, from: encoding), capacity: largestRead == .max ? 256 << 10 : 16)
    var records: [[String]] = []
    while let event = try? reader.next(), event != .end {
        records.append(event == .record ? reader.texts() : ["\(event)"])
    }
    return records
}

/// What a source gives until it ends or cannot go on.
private func content(_ source: any ByteSource) -> [UInt8] {
    var (source, content) = (source, [UInt8]())
    var buffer = [UInt8](repeating: 0, count: 4096)
    while let count = try? source.read(into: &buffer, at: 0, limit: buffer.count), count > 0 { content += buffer[..<count] }
    return content
}

private func readTags(_ bytes: [UInt8]) {
    var reader = XMLTagReader(MemorySource(bytes, largestRead: 7), capacity: 16)
    while let event = try? reader.next(), event != .finished {
        _ = (reader.attribute("value"), reader.offset(ofAttribute: "type"), reader.text, reader.line)
    }
}
