import Signals
import StressAnalysis
import Testing

@Suite("Stress commands")
struct StressCommandTests {
    @Test(
        "are read from JSON",
        arguments: [
            (#"{"command": "calibrate"}"#, StressCommand.Action.calibrate(seconds: nil)),
            (#"{"command": "calibrate", "seconds": 120}"#, .calibrate(seconds: 120)),
            (#"{"command": "cancel"}"#, .cancelCalibration),
            (#"{"command": "forget"}"#, .forget),
            (#"{"command": "mode", "mode": "built"}"#, .mode(.built)),
            (#"{"command": "mode", "mode": "default"}"#, .mode(nil)),
            (#"{"command": "bounds", "bounds": {"heart-rate": [55, 120]}}"#, .bounds(StressBounds(heartRate: 55...120))),
            (#"{"command": "bounds"}"#, .bounds(nil)),
        ])
    func valid(json: String, action: StressCommand.Action) throws {
        #expect(try StressCommand(decoding: Array(json.utf8)).action == action)
    }

    @Test(
        "are refused in words",
        arguments: [
            ("", "JSON"), ("[]", "JSON"), (#"{"command": 5}"#, "JSON"), (#"{"command": "explode"}"#, "command must be"),
            (#"{"command": "mode", "mode": "fast"}"#, "mode must be"), (#"{"command": "calibrate", "seconds": 5}"#, "60 to 1800"),
            (#"{"command": "bounds", "bounds": {"heart-rate": [120, 55]}}"#, "two numbers"),
            (#"{"command": "bounds", "bounds": {"shoe-size": [1, 2]}}"#, "bounds are for"),
        ])
    func invalid(json: String, words: String) throws {
        let problem = #expect(throws: CommandProblem.self) { try StressCommand(decoding: Array(json.utf8)) }
        #expect(problem?.description.contains(words) == true)
    }
}
