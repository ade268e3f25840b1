import Foundation
package import ServiceKit

/// `vigil-stress evaluate`: measures the detectors on annotated recordings.
package enum EvaluateCommand {
    static let json = Setting("json", .boolean, default: false, help: "Print one JSON object instead of tables.")
    static let rate = Setting.optional(
        "rate", .integer(in: 50...2000), help: "Bring the electrocardiograms to that many samples a second first.")
    static let noise = Setting.optional(
        "noise", .integer(in: -12...60),
        help: "Add synthetic electrode noise at that many decibels to the electrocardiograms, and count the noisy spans only.")

    /// The command.
    package static let command = Command(
        name: "evaluate", summary: "Measures the detectors on annotated recordings.",
        details: """
            FOLDER holds any of mitdb/, bidmc/ (NAME.i16 with 16-bit samples and NAME.json with rate, scale and annotations), \
            neurokit/ and stress-predict/; what is missing is left out.
            """,
        settings: [json, rate, noise], operands: Operands("FOLDER", help: "the folder with the recordings")
    ) { invocation in
        let folder = URL(filePath: invocation.operands[0])
        guard FileManager.default.fileExists(atPath: folder.path) else {
            throw CommandError(.noInput, "there is no folder \(folder.path)")
        }
        let evaluation = Evaluation(rate: try invocation[rate].map(Double.init), noise: try invocation[noise].map(Double.init))
        let report = try evaluation.run(folder)
        print(try invocation[json] ? report.json() : EvaluationTables.text(report))
    }
}
