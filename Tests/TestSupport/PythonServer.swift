import Dispatch
import Glibc
import ServiceKit

/// A small Python server on a free loopback port, started by a test and stopped with it.
///
/// Threading: any, one call of `nextLine` at a time. The child is killed when the object goes.
package final class PythonServer: Sendable {
    /// The reason why a server could not be started.
    package struct Failure: Error {
        package let reason: String
    }

    /// The port that it listens on.
    package let port: Int
    private let child: pid_t
    private let output: Int32
    /// Waits for lines, so that no thread of the tests does.
    private let queue = DispatchQueue(label: "python-server")

    /// Starts the script, which must print its port as its first line.
    package init(script: String) async throws(Failure) {
        guard let ends = try? ProgramLaunch.pipe() else { throw Failure(reason: "no pipe") }
        defer { close(ends.write) }
        output = ends.read
        var launch = ProgramLaunch(["python3", "-u", "-c", script])
        (launch.input, launch.output) = (.reading("/dev/null"), .descriptor(ends.write))
        do { child = try launch.start() } catch {
            close(ends.read)
            throw Failure(reason: "\(error)")
        }
        OrphanGuard.watch(child)
        guard let line = await Self.line(from: output, within: .seconds(60), on: queue), let port = Int(line) else {
            kill(child, SIGKILL)
            waitpid(child, nil, 0)
            close(output)
            throw Failure(reason: "python3 did not start the server")
        }
        self.port = port
    }

    deinit {
        kill(child, SIGKILL)
        waitpid(child, nil, 0)
        close(output)
    }

    /// The next line that the script prints; nil when none comes in time.
    package func nextLine(within limit: Duration = .seconds(60)) async -> String? {
        await Self.line(from: output, within: limit, on: queue)
    }

    private static func line(from descriptor: Int32, within limit: Duration, on queue: DispatchQueue) async -> String? {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: line(from: descriptor, within: limit)) }
        }
    }

    private static func line(from descriptor: Int32, within limit: Duration) -> String? {
        let deadline = ContinuousClock.now + limit
        var line: [UInt8] = []
        while ContinuousClock.now < deadline {
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, 100) > 0 else { continue }
            var byte: UInt8 = 0
            guard read(descriptor, &byte, 1) == 1 else { return nil }
            if byte == 10 { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        return nil
    }
}

/// An SMTP server in Python for `PythonServer`: takes every message and prints it as one line of JSON, recipients included.
///
/// A recipient whose local part begins with `gone` is refused for good, one with `grey` at the first two attempts.
package enum MailServerScript {
    /// A server that offers no extension but 8BITMIME.
    package static let text = script(extensions: ["8BITMIME"])
    /// A server that also takes addresses in UTF-8.
    package static let utf8 = script(extensions: ["8BITMIME", "SMTPUTF8"])

    private static func script(extensions: [String]) -> String {
        let offers = extensions.enumerated().map { "250\($0.offset == extensions.count - 1 ? " " : "-")\($0.element)" }
        return """
            import socketserver, json
            grey = {}
            class Handler(socketserver.StreamRequestHandler):
                def say(self, text): self.wfile.write((text + '\\r\\n').encode())
                def rcpt(self, line):
                    name = line.split('<')[1].split('@')[0]
                    if name.startswith('gone'): self.say('550-5.1.1 no such'); self.say('550 5.1.1 mailbox'); return False
                    if name.startswith('grey'):
                        grey[name] = grey.get(name, 0) + 1
                        if grey[name] <= 2: self.say('451 4.7.1 greylisted'); return False
                    self.say('250 ok'); return True
                def handle(self):
                    self.say('220 test'); recipients = []; sender = ''
                    while (line := self.rfile.readline().decode().strip()):
                        word = line.upper()
                        if word.startswith('EHLO'):
                            self.say('250-test')
                            for offer in [\(offers.map { "'\($0)'" }.joined(separator: ", "))]: self.say(offer)
                        elif word.startswith('MAIL'): sender = line; self.say('250 ok')
                        elif word.startswith('RCPT'):
                            if self.rcpt(line): recipients.append(line)
                        elif word == 'DATA':
                            if not recipients: self.say('554 nobody'); continue
                            self.say('354 go'); body = []
                            while (part := self.rfile.readline().decode('utf-8')) != '.\\r\\n': body.append(part)
                            print(json.dumps({'from': sender, 'to': recipients, 'text': ''.join(body)}, ensure_ascii=False), flush=True)
                            recipients = []
                            self.say('250 ok')
                        elif word == 'QUIT': self.say('221 bye'); return
                        elif word == 'STARTTLS': self.say('502 no')
                        else: self.say('250 ok')
            server = socketserver.ThreadingTCPServer(('127.0.0.1', 0), Handler)
            server.daemon_threads = True
            print(server.server_address[1], flush=True)
            server.serve_forever()
            """
    }
}
