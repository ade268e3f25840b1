import Access
import Foundation
import MessageBus
import TestSupport
import Testing
import VigilSchema

@testable import VigilCLI

@Suite("Rights of accounts as text")
struct AccountRightsTests {
    @Test(
        "are a role's, about each of its participants",
        arguments: [
            (
                AccountRole.device,
                [
                    "topic write vigil/v1/ingest/a/d", "topic read vigil/v1/receipts/a/d", "topic read vigil/v1/receipts/a/d/#",
                    "topic read vigil/v1/rejects/a/d",
                ]
            ),
            (
                .subscriber,
                [
                    "topic read vigil/v1/alerts/a/+", "topic read vigil/v1/alert-events/a/+", "topic read vigil/v1/latest/a/+",
                    "topic read homeassistant/+/vigil_a/+/config",
                ]
            ),
            (
                .carer,
                [
                    "topic read vigil/v1/alerts/a/+", "topic read vigil/v1/alert-events/a/+", "topic read vigil/v1/latest/a/+",
                    "topic read homeassistant/+/vigil_a/+/config", "topic read vigil/v1/messages/a/+",
                    "topic write vigil/v1/ingest/a/manual/n",
                ]
            ), (.analyst, []), (.bridge, ["topic write x/#"]),
        ])
    func rights(role: AccountRole, rights: [String]) {
        let account = BrokerAccount(name: "n", role: role, participants: ["a"], device: "d", topics: ["x/#"])
        #expect(account.rights == rights)
        #expect(account.entry == AccountList.Account(name: "n", role: role.rawValue, participants: ["a"]))
        if role == .carer {
            #expect(BrokerAccount(name: "n", role: .patient, participants: ["a"], device: "d").rights == rights)
        }
    }

    @Test(
        "let a bridge publish on a topic of its own",
        arguments: [
            ("a", true), ("a/#", true), ("a/+/b", true), ("a/+", true), ("+", false), ("#", false), ("a/#/b", false), ("a/b#", false),
            ("a/+b", false), ("a+/b", false), ("a#", false), ("vigil", false), ("vigil/a", false), ("vigilant/a", true), ("a/vigil", true),
            ("$x/a", false), ("a/$x", true), ("a b", false), ("a\u{1F}", false), ("a!", true), ("a~", true), ("a\u{7F}", false),
            ("ä/ö", true),
            ("", false), (String(repeating: "x", count: 1024), true), (String(repeating: "x", count: 1025), false), ("/a", true),
            ("/vigil/a", true), ("/#", true),
        ])
    func bridges(topic: String, isFine: Bool) {
        #expect((BrokerAccount.objection(toBridgeTopic: topic) == nil) == isFine)
    }

    @Test("of one user are set, added to and taken away without touching another's")
    func list() {
        var list = AccessList("# head\npattern read a/%u\n\nuser one\ntopic read a\nuser two\n# note\ntopic write b\n\n\n")
        #expect(list.patterns == ["pattern read a/%u"])
        #expect(list.users.map(\.name) == ["one", "two"] && list.users.map(\.rights) == [["topic read a"], ["topic write b"]])
        list.grant("two", rights: ["topic write b"])
        #expect(list.text.hasSuffix("topic write b\n") && list.users.count == 2, "it has that already")
        list.grant("two", rights: ["topic write b", "topic read c"])
        #expect(list.users.map(\.name) == ["one", "two", "two"] && list.users[2].rights == ["topic read c"])
        list.set("two", rights: ["topic read d"])
        #expect(list.users.map(\.rights) == [["topic read a"], ["topic read d"]])
        list.remove("one")
        #expect(list.text == "# head\npattern read a/%u\n\nuser two\ntopic read d\n")
    }

    @Test("by which ingest reads bridges are those that it has beside the suite's own, and one for each topic of a bridge, once")
    func bridgeReads() {
        let list = AccessList(
            """
            user ingest
            topic readwrite vigil/v1/ingest/#
            topic read by-hand/#
            topic read bath/#
            user stress
            topic write elsewhere/#
            user bath
            topic write bath/#
            topic write bed/#
            user w1
            topic write vigil/v1/ingest/anna/w1
            topic read vigil/v1/receipts/anna/w1
            """)
        #expect(list.bridgeReads == ["topic read by-hand/#", "topic read bath/#", "topic read bed/#"])
    }

    @Test(
        "are understood as reading, writing or both, of a user or by a pattern of everybody",
        arguments: [
            ("topic read a/b", nil, "r a/b"), ("topic write a", nil, "w a"), ("topic readwrite a b", nil, "rw a b"),
            ("topic read", nil, nil),
            ("pattern read a/%u", nil, nil), ("pattern write a/%u/%u", "x", "w a/x/x"), ("topic read a", "x", nil),
            ("topic deny a", nil, nil), ("pattern deny a/%u", "x", nil), ("topic a b", nil, nil), ("topic Read a", nil, nil),
            ("topic read $SYS/#", nil, nil), ("topic read $share/x", nil, "r $share/x"), ("# topic read a", nil, nil),
        ] as [(String, String?, String?)])
    func lines(line: String, account: String?, expected: String?) {
        let right = TopicRight(line: line, of: account)
        #expect(right.map { ($0.isRead ? "r" : "") + ($0.isWrite ? "w" : "") + " " + $0.filter } == expected)
    }

    @Test("of a NATS user are those of all its sections and of everybody, once each; who has no password is left out")
    func nats() {
        let list = AccessList(
            "pattern read r/%u\nuser a\ntopic write w\nuser b\ntopic read x/#\nuser a\ntopic write w\ntopic readwrite z\n")
        let text = NATSAccounts(list, passwords: ["a": "HASH"]).configuration
        #expect(text.contains(#"{user: "a", password: "HASH", permissions: {"#) && !text.contains(#""b""#))
        #expect(text.contains(#"publish: {allow: ["w", "z"]}"#))
        #expect(text.contains(#"subscribe: {allow: ["z", "r.a", "$MQTT.sub.>"]}"#))
        #expect(text.count(where: { $0 == "{" }) == text.count(where: { $0 == "}" }))
    }

    @Test("what forbids, or does not say which right it gives, gives none at NATS, and is named")
    func untold() {
        let list = AccessList(
            "# topic deny c\npattern deny d/%u\nuser a\ntopic deny a/b\ntopic readwrite a/#\ntopic a/c\n\ttopic deny t\ntopic read $SYS/#\n"
        )
        let accounts = NATSAccounts(list, passwords: ["a": "HASH"])
        #expect(accounts.untold == ["pattern deny d/%u", "topic deny a/b", "topic a/c", "\ttopic deny t"])
        #expect(accounts.configuration.contains(#"publish: {allow: ["a.>", "a"]}"#))
        #expect(accounts.configuration.contains(#"subscribe: {allow: ["a.>", "a", "$MQTT.sub.>"]}"#))
    }

    @Test(
        "a name on the command line of the machine is told plainly, and short",
        arguments: [
            ("anna", "local:anna"), ("a b", "local:a b"), ("a\u{1F}b\u{7F}c\n", "local:abc"), (String(repeating: "x", count: 33), nil),
            (String(repeating: "x", count: 32), nil), ("", "local:\(getuid())"), ("\u{0}", "local:\(getuid())"), ("~", "local:~"),
        ] as [(String, String?)])
    func local(name: String, expected: String?) {
        #expect(AccountNotes.local(name) == expected ?? "local:" + String(repeating: "x", count: 32))
    }

    @Test("a change is told with who is concerned, at its time")
    func notes() {
        var notes = AccountNotes(actor: "local:me")
        notes.now = { Timestamp(seconds: 7) }
        func words(_ entries: [AuditEntry]) -> [String] { entries.map { "\($0.operation) \($0.participant ?? "") \($0.detail ?? "-")" } }
        let account = AccountList.Account(name: "c", role: "carer", participants: ["a", "b"])
        let analyst = AccountList.Account(name: "c", role: "analyst", participants: [])
        #expect(
            words(notes.setting(account, isKnown: false, former: nil)) == [
                "account-add c carer of 2", "account-assign a carer", "account-assign b carer",
            ])
        #expect(
            words(notes.setting(analyst, isKnown: true, former: account)) == [
                "account-change c analyst", "account-unassign a carer", "account-unassign b carer",
            ])
        #expect(words(notes.revoking("c", former: nil)) == ["account-revoke c -"])
        #expect(
            words(notes.revoking("c", former: account)) == [
                "account-revoke c carer of 2", "account-unassign a carer", "account-unassign b carer",
            ])
        let own = AccountList.Account(name: "d", role: "patient", participants: ["a"])
        #expect(words(notes.forgetting("a", [account, own])) == ["account-change c carer of 1", "account-revoke d patient of 1"])
        let entry = notes.revoking("c", former: nil)[0]
        #expect(entry.time == Timestamp(seconds: 7) && entry.actor == "local:me" && entry.outcome == "ok")
        notes.now = { Timestamp(seconds: 8) }
        let failed = notes.failed(entry)
        #expect(failed.time == Timestamp(seconds: 8) && failed.outcome == "failed" && failed.operation == entry.operation)
    }

    @Test("a private suite's accounts are made once, closed to others, and keep what was added")
    func ownAccounts() throws {
        let folder = try TemporaryFolder()
        #expect(PrivateAccounts.own(stateFolder: folder.url.path) == nil)
        let accounts = PrivateAccounts(folder: folder.path("accounts"), servicePort: 4_711)
        try accounts.prepare()
        func text(_ name: String) throws -> String { try String(contentsOfFile: folder.path("accounts/\(name)"), encoding: .utf8) }
        let key = try text("keys/timeline")
        #expect(Data(base64Encoded: key)?.count == 24)
        #expect(try text("services").split(separator: "\n").map { String($0.prefix { $0 != ":" }) } == AccountList.services)
        for (name, mode) in [
            ("keys", 0o700), ("roles", 0o700), ("keys/operator", 0o600), ("acl", 0o600), ("services", 0o600), ("passwords", 0o600),
        ] {
            #expect(
                try FileManager.default.attributesOfItem(atPath: folder.path("accounts/\(name)"))[.posixPermissions] as? Int == mode,
                "\(name)")
        }
        let own = try #require(PrivateAccounts.own(stateFolder: folder.url.path))
        #expect(own.port == 4_711 && own.user == "operator")
        #expect(try own.password.exposed == text("keys/operator"))
        try AccountFiles(folder: accounts.folder).add(
            BrokerAccount(name: "w1", role: .device, participants: ["anna"], device: "w1"), password: "a password of bits",
            isGenerated: true)
        let (passwords, roles) = (try text("passwords"), try text("roles/accounts.json"))
        try PrivateAccounts(folder: accounts.folder, servicePort: 4_712).prepare()
        #expect(try text("keys/timeline") == key && text("passwords") == passwords && text("roles/accounts.json") == roles)
        #expect(try text("acl").contains("user w1\ntopic write vigil/v1/ingest/anna/w1\n") && text("acl").contains("user timeline\n"))
        #expect(PrivateAccounts.own(stateFolder: folder.url.path)?.port == 4_712)
    }

    @Test("after a restart a private suite's ingest still reads what bridges publish, also where an earlier version had forgotten it")
    func bridges() throws {
        let folder = try TemporaryFolder()
        let accounts = PrivateAccounts(folder: folder.path("accounts"), servicePort: 4_711)
        try accounts.prepare()
        try AccountFiles(folder: accounts.folder).add(
            BrokerAccount(name: "bath", role: .bridge, participants: [], device: "bath", topics: ["bath/#"]),
            password: "a password of bits",
            isGenerated: true)
        func reads() throws -> [String] {
            let list = AccessList(try String(contentsOfFile: folder.path("accounts/acl"), encoding: .utf8))
            return list.users.filter { $0.name == "ingest" }.flatMap(\.rights).filter { $0.contains("bath") }
        }
        for _ in 0..<2 {
            try accounts.prepare()
            #expect(try reads() == ["topic read bath/#"])
        }
        let list = try String(contentsOfFile: folder.path("accounts/acl"), encoding: .utf8)
        try list.replacing("user ingest\ntopic read bath/#\n", with: "").write(
            toFile: folder.path("accounts/acl"), atomically: true, encoding: .utf8)
        #expect(try reads().isEmpty)
        try accounts.prepare()
        #expect(try reads() == ["topic read bath/#"])
    }

    @Test("a private suite's services and its devices come in at ports of their own, with accounts of their own")
    func privateLines() {
        let accounts = PrivateAccounts(folder: "/f", servicePort: 4_711)
        #expect(
            accounts.brokerLines(outsidePort: 1_883) == [
                "per_listener_settings true", "listener 4711 127.0.0.1", "allow_anonymous false", "acl_file /f/acl",
                "password_file /f/services", "listener 1883 127.0.0.1", "allow_anonymous false", "acl_file /f/acl",
                "password_file /f/passwords", "use_username_as_clientid true",
            ])
        #expect(accounts.brokerLines(outsidePort: 1_883, at: "0.0.0.0").contains("listener 1883 0.0.0.0"))
        #expect(
            accounts.settings(of: "vigil-alert", roles: "/r") == [
                "broker-port": "4711", "broker-user": "alert", "broker-password-file": "/f/keys/alert",
                "accounts-file": "/f/roles/accounts.json", "roles-file": "/r",
            ])
        #expect(accounts.settings(of: "vigil-alert", roles: nil)["roles-file"] == nil)
    }
}
