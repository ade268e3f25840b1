import Synchronization

/// The dialogue with a mail server, read along: which recipient was answered what, and what the server offers.
///
/// Threading: the transfer's thread writes; read after the transfer.
final class MailDialogue: Sendable {
    private struct State {
        /// The recipient whose answer is awaited.
        var asked: String?
        var answers: [(address: String, code: Int, text: String)] = []
        var offersUTF8 = false
        /// The lines of an answer that goes on.
        var text: [String] = []
        var last: String?
    }

    private static let longestText = 200
    private let state = Mutex(State())

    /// Takes a command that was sent. Only recipients are looked at: others may hold a password.
    func sent(_ line: String) {
        guard line.uppercased().hasPrefix("RCPT TO:") else { return state.withLock { $0.asked = nil } }
        let address = line.drop { $0 != "<" }.dropFirst().prefix { $0 != ">" }
        state.withLock { $0.asked = String(address) }
    }

    /// Takes a line of the server's.
    func received(_ line: String) {
        guard let code = Int(line.prefix(3)) else { return }
        let isLast = line.dropFirst(3).first != "-"
        let text = String(line.dropFirst(4))
        state.withLock { state in
            if text.uppercased().split(separator: " ").first == "SMTPUTF8" { state.offersUTF8 = true }
            state.text.append(text)
            guard isLast else { return }
            let words = String(state.text.joined(separator: " ").filter { !$0.isNewline }.prefix(Self.longestText))
            state.text = []
            state.last = "\(code) \(words)"
            guard let asked = state.asked else { return }
            state.answers.append((asked, code, words))
            state.asked = nil
        }
    }

    /// A Boolean value that indicates whether the server told that it takes addresses in UTF-8.
    var offersUTF8: Bool { state.withLock { $0.offersUTF8 } }

    /// The server's last answer, such as `554 no`; nil before the first.
    var lastAnswer: String? { state.withLock { $0.last } }

    /// The refused recipients, under the names that they were given.
    /// - Parameter recipients: in the order in which the server was asked, as libcurl may write a domain in another form.
    func refusals(of recipients: [String]) -> [MailRefusal] {
        let answers = state.withLock { $0.answers }
        return answers.enumerated().compactMap { index, answer in
            guard answer.code >= 400 else { return nil }
            let address = index < recipients.count && answers.count <= recipients.count ? recipients[index] : answer.address
            return MailRefusal(address: address, code: answer.code, text: answer.text)
        }
    }

    /// A Boolean value that indicates whether every recipient was answered, and refused.
    func hasRefusedAll(_ recipients: [String]) -> Bool { refusals(of: recipients).count == recipients.count }
}
