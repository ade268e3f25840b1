import Signals
import Testing

@testable import StressAnalysis

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

    @Test("calibrate for 60 to 1800 seconds", arguments: [(59.9, false), (60, true), (1800, true), (1800.1, false)])
    func seconds(seconds: Double, isTaken: Bool) {
        let command = try? StressCommand(decoding: Array(#"{"command": "calibrate", "seconds": \#(seconds)}"#.utf8))
        #expect(command?.action == (isTaken ? .calibrate(seconds: seconds) : nil))
    }

    @Test("bound each reading between a lower and a higher number")
    func bounds() throws {
        let json =
            #"{"command": "bounds", "bounds": {"heart-rate": [50, 110], "skin-conductance": [1, 9], "respiration-rate": [8, 24], "skin-temperature": [29, 35]}}"#
        let expected = StressBounds(heartRate: 50...110, skinConductance: 1...9, breathingRate: 8...24, temperature: 29...35)
        #expect(try StressCommand(decoding: Array(json.utf8)).action == .bounds(expected))
        for pair in ["[]", "[1]", "[1, 2, 3]", "[2, 2]", "[3, 2]"] {
            #expect(throws: CommandProblem.self) {
                try StressCommand(decoding: Array(#"{"command": "bounds", "bounds": {"heart-rate": \#(pair)}}"#.utf8))
            }
        }
    }

    @Test("ask for a part of what is kept, the first where none is named, and to forget somebody")
    func others() throws {
        #expect(try StressCommand(decoding: Array(#"{"command": "export"}"#.utf8)).action == .export(part: 0))
        #expect(try StressCommand(decoding: Array(#"{"command": "export", "part": 3}"#.utf8)).action == .export(part: 3))
        #expect(try StressCommand(decoding: Array(#"{"command": "erase"}"#.utf8)).action == .erase)
        #expect(try StressCommand(decoding: Array(#"{"command": "mode"}"#.utf8)).action == .mode(nil))
    }

    @Test("are answered with what they came to, the members in their order")
    func reply() throws {
        let reply = StressReply(participant: "p1", ok: false, error: "e", mode: "base", calibrated: true, calibrating: false)
        #expect(
            String(decoding: try reply.encoded(), as: UTF8.self)
                == #"{"calibrated":true,"calibrating":false,"error":"e","mode":"base","ok":false,"participant":"p1"}"#)
        let short = StressReply(participant: "p1", ok: true)
        #expect(String(decoding: try short.encoded(), as: UTF8.self) == #"{"ok":true,"participant":"p1"}"#)
    }

    @Test("are at most 65,536 bytes long", arguments: [(65_536, true), (65_537, false)])
    func length(bytes: Int, isTaken: Bool) {
        let command = #"{"command": "forget"}"#
        let padded = Array(command.utf8) + Array(repeating: UInt8(ascii: " "), count: bytes - command.utf8.count)
        #expect(((try? StressCommand(decoding: padded)) != nil) == isTaken)
    }
}
