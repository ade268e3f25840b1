import Foundation

/// A recording as `evaluate` reads it: 16-bit samples in `NAME.i16`, and beside it `NAME.json` with rate, scale and marks.
struct RecordedSignal {
    /// The JSON file beside the samples.
    struct Description: Decodable {
        let rate_hz: Double
        let scale: Double
        let beats: [Int64]?
        let breaths_annotator1: [Int64]?
        let breaths_annotator2: [Int64]?
    }

    let name: String
    let description: Description
    let samples: [Float]

    var rate: Double { description.rate_hz }

    /// Reads a recording; `file` is the JSON.
    init(_ file: URL) throws {
        name = file.deletingPathExtension().lastPathComponent
        description = try JSONDecoder().decode(Description.self, from: Data(contentsOf: file))
        let data = try Data(contentsOf: file.deletingPathExtension().appendingPathExtension("i16"))
        let scale = Float(description.scale)
        samples = stride(from: 0, to: data.count - 1, by: 2).map { index in
            Float(Int16(bitPattern: UInt16(data[index]) | UInt16(data[index + 1]) << 8)) * scale
        }
    }

    /// The recordings of a folder, in the order of their names.
    static func files(in folder: URL) -> [URL] {
        let all = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
        return all.filter { $0.pathExtension == "json" && hasSamples($0) }.sorted { $0.path < $1.path }
    }

    private static func hasSamples(_ file: URL) -> Bool {
        FileManager.default.fileExists(atPath: file.deletingPathExtension().appendingPathExtension("i16").path)
    }
}
