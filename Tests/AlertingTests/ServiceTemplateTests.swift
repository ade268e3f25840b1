import AlertRules
import Foundation
import HTTPClient
import TestSupport
import Testing
import VigilSchema

@testable import Alerting

@Suite("A service's file")
struct ServiceTemplateTests {
    private static func read(_ text: String) throws -> ServiceTemplate {
        try ServiceTemplateReader.read(RuleFile(name: "services/mine.json5", text: text))
    }

    private static func request(_ text: String, _ values: [String: TemplateValue] = [:]) throws -> ServiceRequest {
        try ServiceRequest(try read(text), values)
    }

    @Test("that comes with Vigil is right", arguments: ServiceChannelTests.services.keys.sorted())
    func shipped(name: String) throws {
        #expect(try ServiceFiles.read(name, in: [ServiceChannelTests.folder]).name == name)
    }

    @Test(
        "that is wrong is refused with the place of each mistake",
        arguments: [
            ("{url: \"ftp://x\"}", "1:7"), ("{\n  url: \"https://x/{topik}\",\n  parameters: {topic: {}}}", "2:8"), ("{}", "1:1"),
            ("{url: \"https://x\", method: \"PATCH\"}", "1:28"), ("{url: \"https://x\",\n body: {json: {a: [\"{text|shout}\"]}}}", "2:20"),
            ("{url: \"https://x\",\n body: {json: {a: \"{text\"}}}", "2:19"), ("{url: \"https://x\", body: {json: 1, form: {}}}", "1:26"),
            ("{url: \"https://x\", body: {json: {each: \"people\", of: 1}}}", "1:40"),
            ("{url: \"https://x\", body: {json: {each: \"answers\", of: \"{label} {nobody}\"}}}", "1:55"),
            ("{url: \"https://x\", headers: {\"a b\": \"x\"}}", "1:30"), ("{url: \"https://x\", accepted: {status: [404]}}", "1:40"),
            ("{url: \"https://x\", values: {text: \"x\"}}", "1:29"), ("{url: \"https://x\", values: {v: {by: \"colour\", a: 1}}}", "1:37"),
            ("{url: \"https://x\", parameters: {k: {secret: true, default: \"x\"}}}", "1:36"),
            ("{url: \"https://x\", parameters: {timeout: {}}}", "1:33"),
            ("{url: \"https://x\", method: \"GET\", body: {text: \"a\"}}", "1:41"),
            ("{url: \"https://x\", body: {text: \"{}\", type: \"application/json\"}}", "1:33"),
            ("{url: \"https://x\", retries: 3}", "1:20"),
        ])
    func wrong(text: String, place: String) throws {
        let error = try #require(throws: RuleError.self) { try Self.read(text) }
        #expect(error.entries.contains { $0.description.hasPrefix("services/mine.json5:\(place):") }, "\(error)")
    }

    @Test("escapes values as the address, the header and the body need it, and leaves out what has no value")
    func escaping() throws {
        let nasty: [String: TemplateValue] = ["text": .text("a&b=c/<ü>\r\n\"{id}\""), "id": .text("secret")]
        let request = try Self.request(
            "{url: \"https://x/{text}?q={text}&n={link}x\".replaceable}".replacing(".replaceable", with: "").replacing(
                "&n={link}x", with: ""),
            nasty)
        let encoded = "a%26b%3Dc%2F%3C%C3%BC%3E%0D%0A%22%7Bid%7D%22"
        #expect(request.url == "https://x/\(encoded)?q=\(encoded)" && request.body == nil)
        let headers = try Self.request("{url: \"https://x\", headers: {A: \"v {text}\", B: \"{link}\", C: \"{{}}\"}}", nasty).headers
        #expect(headers.map(\.value) == ["v a&b=c/<ü>  \"{id}\"", "{}"])
        func body(_ body: String) throws -> String {
            String(decoding: try Self.request("{url: \"https://x\", body: \(body)}", nasty).body ?? [], as: UTF8.self)
        }
        #expect(try body("{form: {a: \"{text}\", b: \"{link}\", c: \"1\"}}") == "a=\(encoded)&c=1")
        #expect(
            try body("{json: {a: \"{text}\", b: \"{link}\", c: {d: \"{link}\"}, e: {}, n: null}}")
                == #"{"a":"a&b=c/<ü>\r\n\"{id}\"","e":{},"n":null}"#)
        #expect(try body("{text: \"<m>{text}</m>\", type: \"application/xml\"}") == "<m>a&amp;b=c/&lt;ü&gt;\r\n&quot;{id}&quot;</m>")
    }

    @Test("cuts texts to what a service takes, and marks it")
    func cuts() throws {
        func cut(_ filter: String, _ text: String) throws -> String? {
            try TemplateText("{text|\(filter)}").value(["text": .text(text)])?.words
        }
        #expect(try cut("characters 5", "12345") == "12345" && cut("characters 5", "123456") == "1234…")
        #expect(try cut("bytes 8", "жжжж") == "жжжж" && cut("bytes 8", "жжжжж") == "жж…")
        #expect(try cut("line", "a\r\nb\u{2028}c") == "a b c" && cut("base64", "a:b") == "YTpi")
        #expect(try cut("markdown", "[a](b) *c*") == "\\[a\\]\\(b\\) \\*c\\*")
    }

    @Test("of a notifier that gives a secret in words, or forgets a parameter, is refused")
    func notifier() throws {
        let folder = try TemporaryFolder("services")
        try FileManager.default.createDirectory(atPath: folder.path("services"), withIntermediateDirectories: true)
        try folder.write("{url: \"{server}\", parameters: {server: {kind: \"url\"}, key: {secret: true}}}", to: "services/mine.json5")
        try folder.write("{url: 3}", to: "services/broken.json5")
        try folder.write("k\n", to: "k")
        func problems(_ members: String) throws -> [String] {
            let path = try folder.write("{notifiers: [{id: \"a\", \(members)}]}", to: "n.json5")
            return NotifierLoad.read(path, try RuleSetReader.read([RuleFile(name: "r", text: "{rules: []}")])).problems
        }
        let key = "keyFile: \"\(folder.path("k"))\""
        #expect(try problems("service: \"mine\", server: \"https://x/\", \(key)").isEmpty)
        #expect(try problems("service: \"mine\", server: \"https://x/\", key: \"k\"").contains { $0.contains("\"key\" is not known") })
        #expect(try problems("service: \"mine\", \(key)").contains { $0.contains("\"server\" is missing") })
        #expect(try problems("service: \"mien\", \(key)").contains { $0.contains("mine") })
        #expect(try problems("service: \"broken\"").contains { $0.contains("broken.json5:1:7") })
    }
}
