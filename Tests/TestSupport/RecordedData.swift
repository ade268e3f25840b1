package import Foundation

/// The recorded data that tests may use: in the folder that `VIGIL_TEST_DATA` names, else in `../shared/data` beside the checkout or above.
/// It is not part of the repository; a test that needs it is skipped, in words, where it is missing.
package enum RecordedData {
    /// What a skipped test says.
    package static let hint = "the recorded data is missing: set VIGIL_TEST_DATA to its folder"

    /// The folder, or nil where there is none.
    package static let folder: URL? = {
        if let named = ProcessInfo.processInfo.environment["VIGIL_TEST_DATA"] { return existing(URL(filePath: named)) }
        var parent = URL(filePath: #filePath).deletingLastPathComponent()
        while parent.path != "/" {
            if let found = existing(parent.appending(path: "shared/data")) { return found }
            parent = parent.deletingLastPathComponent()
        }
        return nil
    }()

    /// Whether a data set is there.
    package static func has(_ name: String) -> Bool { folder.flatMap { existing($0.appending(path: name)) } != nil }

    /// The files of a data set with that extension, in the order of their paths.
    package static func files(in name: String, extension suffix: String) -> [URL] {
        guard let folder, let all = FileManager.default.enumerator(at: folder.appending(path: name), includingPropertiesForKeys: nil)
        else { return [] }
        return all.compactMap { $0 as? URL }.filter { $0.pathExtension == suffix }.sorted { $0.path < $1.path }
    }

    private static func existing(_ folder: URL) -> URL? {
        FileManager.default.fileExists(atPath: folder.path) ? folder : nil
    }
}
