import Foundation

/// Lines that appear when they are written, also where the output is a file: buffered ones would come after the notes they belong before.
enum Output {
    /// The table.
    static func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

    /// Progress, apart from the table.
    static func note(_ line: String) { FileHandle.standardError.write(Data("  \(line)\n".utf8)) }
}
