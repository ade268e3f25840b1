import Foundation
import HTTPClient

/// Sends notifications through a service that a file describes.
struct ServiceChannel: NotificationChannel {
    /// Refusals that the same request may overcome later.
    private static let passing: Set<Int> = [408, 425, 429]
    private static let longestReason = 160

    let template: ServiceTemplate
    /// The parameters, with secrets.
    let parameters: [String: TemplateValue]
    let reader: NotificationReader
    let client: HTTPClient
    let timeout: Duration
    private let quiet = QuietTime()

    init(
        template: ServiceTemplate, parameters: [String: TemplateValue], reader: NotificationReader, client: HTTPClient, timeout: Duration
    ) {
        self.template = template
        self.parameters = parameters
        self.reader = reader
        self.client = client
        self.timeout = timeout
    }

    func wants(_ notification: Notification) -> Bool { template.states.isEmpty || template.states.contains(notification.status) }

    func send(_ notification: Notification) async throws(ChannelError) {
        try quiet.check(template.name, named: template.name)
        let text = NotificationText(notification, reader)
        let values = ServiceMessage.values(notification, text, language: reader.language).merging(parameters) { $1 }
        let request = try ServiceRequest(template, values)
        let answer: HTTPClientResponse
        do throws(TransferError) {
            answer = try await client.send(
                request.method, request.url, body: request.body, contentType: request.contentType, headers: request.headers,
                timeout: timeout,
                limit: 65_536)
        } catch {
            throw ChannelError(error.description)
        }
        try check(answer, isTest: notification.status == "test")
    }

    private func check(_ answer: HTTPClientResponse, isTest: Bool) throws(ChannelError) {
        let content = try? JSONSerialization.jsonObject(with: Data(answer.body), options: .fragmentsAllowed)
        guard !template.acceptance.accepts(answer, content) else { return }
        var error = Self.refusal(template.name, answer)
        if error.pause == nil, let pause = template.pause, case let number as NSNumber = JSONPath.value(pause.path, in: content) {
            let seconds = min(number.doubleValue * pause.unit, QuietTime.longest / .seconds(1))
            error.pause = seconds > 0 ? .seconds(seconds) : nil
        }
        quiet.note(error, of: template.name)
        // An answer may repeat what it was sent; a test says nothing of anybody.
        if isTest, let path = template.reason, case let reason as String = JSONPath.value(path, in: content) {
            error.description += ": " + TemplateFilter.line.apply(String(reason.prefix(Self.longestReason)))
        }
        throw error
    }

    /// The reason of a refusal, with whether the same request may succeed later, and when.
    static func refusal(_ name: String, _ answer: HTTPClientResponse) -> ChannelError {
        var error = ChannelError("\(name) answered with status \(answer.status)\(answer.isSuccess ? ", but not as agreed" : "")")
        error.isLasting = (400..<500).contains(answer.status) && !passing.contains(answer.status)
        error.pause = QuietTime.pause(answer)
        return error
    }
}

extension ServiceTemplate.Acceptance {
    /// - Parameter content: the answer's body, where it is JSON.
    func accepts(_ answer: HTTPClientResponse, _ content: Any?) -> Bool {
        guard statuses.isEmpty ? answer.isSuccess : statuses.contains(answer.status) else { return false }
        if let text, String(decoding: answer.body, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines) != text { return false }
        return json.allSatisfy { path, wanted in
            switch (wanted, JSONPath.value(path, in: content)) {
            case (.text(let text), let found as String): text == found
            case (.flag(let flag), let found as NSNumber): flag == found.boolValue
            case (.number(let number), let found as NSNumber): number == found.doubleValue
            default: false
            }
        }
    }
}

/// A member of parsed JSON, by path: `parameters.retry_after`.
private enum JSONPath {
    static func value(_ path: String, in content: Any?) -> Any? {
        path.split(separator: ".").reduce(content) { value, name in (value as? [String: Any])?[String(name)] }
    }
}
