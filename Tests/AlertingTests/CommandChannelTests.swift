import Foundation
import TestSupport
import Testing
import VigilSchema

@testable import Alerting

@Suite("A program that is told", .timeLimit(.minutes(2)))
struct CommandChannelTests {
    private static let notification = Alerting.Notification.test(of: "hook", actor: "me", at: 1)

    private static func error(_ script: String, timeout: Duration = .seconds(60), in folder: TemporaryFolder) async -> String? {
        do {
            try await CommandChannel(arguments: ["/bin/sh", "-c", script, "one", "two"], timeout: timeout).send(notification)
            return nil
        } catch {
            return error.description
        }
    }

    @Test("gets its arguments, and the notification as JSON on its standard input")
    func input() async throws {
        let folder = try TemporaryFolder("hook")
        let (told, words) = (folder.path("told"), folder.path("words"))
        #expect(await Self.error("cat > \(told); echo \"$0 $1\" > \(words)", in: folder) == nil)
        #expect(try [UInt8](Data(contentsOf: URL(filePath: told))) == Self.notification.encoded())
        #expect(try String(contentsOfFile: words, encoding: .utf8) == "one two\n")
    }

    @Test("gets the notification once, as its standard input, and not by another descriptor as well")
    func descriptors() async throws {
        let folder = try TemporaryFolder("hook")
        let open = folder.path("open")
        #expect(await Self.error("ls -l /proc/$$/fd | grep -c vigil- > \(open)", in: folder) == nil)
        #expect(try String(contentsOfFile: open, encoding: .utf8) == "1\n")
    }

    @Test(
        "has not told anybody where it ends with anything but 0",
        arguments: [
            ("exit 0", nil), ("exit 1", "/bin/sh ended with 1"), ("exit 255", "/bin/sh ended with 255"),
            ("kill -9 $$", "/bin/sh was ended by signal 9"), ("kill -15 $$", "/bin/sh was ended by signal 15"),
        ])
    func code(script: String, words: String?) async throws {
        #expect(await Self.error(script, in: try TemporaryFolder("hook")) == words)
    }

    @Test("that does not end in time is asked to, and may say good-bye")
    func grace() async throws {
        let folder = try TemporaryFolder("hook")
        let (began, ended) = (folder.path("began"), folder.path("ended"))
        let script = "trap 'echo ended > \(ended); exit 0' TERM; echo began > \(began); while true; do sleep 0.01; done"
        #expect(await Self.error(script, timeout: .seconds(1), in: folder) == "/bin/sh did not end within 1 s")
        // On a machine so busy that it never began there is nothing to say.
        if FileManager.default.fileExists(atPath: began) {
            try await eventually("its good-bye") { FileManager.default.fileExists(atPath: ended) }
        }
    }

    @Test("has half a minute where nothing else is said, and two seconds more before it is killed")
    func patience() async throws {
        let folder = try TemporaryFolder("hook")
        let began = folder.path("began")
        let clock = SteppingClock(0)
        let channel = CommandChannel(
            arguments: ["/bin/sh", "-c", "trap '' TERM; echo $$ > \(began).new; mv \(began).new \(began); sleep 600; sleep 600"],
            clock: clock)
        try await withThrowingTaskGroup { tasks in
            tasks.addTask {
                let error = await #expect(throws: ChannelError.self) { try await channel.send(Self.notification) }
                #expect(error?.description == "/bin/sh did not end within 30 s")
            }
            try await eventually("its beginning") { FileManager.default.fileExists(atPath: began) }
            clock.allow(.max / 2)
            try await tasks.waitForAll()
        }
        let child = try String(contentsOfFile: began, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(Int32(child) != nil && !FileManager.default.fileExists(atPath: "/proc/\(child)"), "nothing is left of it, not even its end")
        // 62 ms in steps that double, and then fiftieths of a second until the time is over: 599 and 39 of them.
        let growing = [2, 4, 8, 16, 32]
        let steps = (growing + Array(repeating: 50, count: 599) + growing + Array(repeating: 50, count: 39)).map {
            Duration.milliseconds($0)
        }
        #expect(clock.steps == steps)
    }

    @Test("that is not there is said")
    func missing() async throws {
        let error = await #expect(throws: ChannelError.self) {
            try await CommandChannel(arguments: ["/no/such/program"]).send(Self.notification)
        }
        #expect(error?.description.contains("/no/such/program") == true)
    }

    @Test("a test says in three languages who made it and that nobody is ill")
    func words() throws {
        let alert = try #require(Self.notification.alerts.first)
        #expect(Self.notification.id == "hook/test/1000" && Self.notification.status == "test" && !Self.notification.isReminder)
        #expect(alert.message["en"] == "Test by me. Nothing is wrong with anybody." && alert.message.keys.sorted() == ["de", "en", "ru"])
        let text = String(decoding: try Self.notification.encoded(), as: UTF8.self)
        #expect(
            text.hasPrefix(#"{"alerts":[{"acknowledged":false,"#) && text.contains(#""id":"hook/test/1000","isReminder":false,"#), "\(text)"
        )
        #expect(alert.time == 1 && alert.severity == "notice" && alert.kind == "technical" && alert.sequence == 1)
    }
}
