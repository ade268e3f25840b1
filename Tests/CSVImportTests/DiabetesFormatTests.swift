import Testing

@testable import CSVImport

@Suite("What diabetes programs write in place of numbers, and beside them")
struct DiabetesFormatTests {
    private func decoded(_ text: String, _ name: String = "entries.json") throws -> Decoded {
        try #require(try Decoded.all(text, name: name, options: .ofParticipant()).first)
    }

    /// Source: cgm-remote-monitor, lib/plugins/errorcodes.js.
    @Test("Nightscout: a sensor's error codes are no glucose, and the ends of its range are limits", arguments: 0...12)
    func errorCodes(code: Int) throws {
        let decoded = try decoded(
            """
            [{"_id":"1","device":"dexcom","date":1698270000000,"dateString":"2023-10-25T21:40:00.000Z","sgv":\(code),"type":"sgv"},
             {"_id":"2","device":"dexcom","date":1698270300000,"dateString":"2023-10-25T21:45:00.000Z","sgv":39,"type":"sgv"},
             {"_id":"3","device":"dexcom","date":1698270600000,"dateString":"2023-10-25T21:50:00.000Z","sgv":401,"type":"sgv"},
             {"_id":"4","device":"dexcom","date":1698270900000,"dateString":"2023-10-25T21:55:00.000Z","sgv":40,"type":"sgv"},
             {"_id":"5","device":"meter","date":1698271200000,"dateString":"2023-10-25T22:00:00.000Z","mbg":12,"type":"mbg"}]
            """)
        let glucose = decoded.rows.filter { $0.metric == "blood-glucose" }
        #expect(glucose.map(\.text) == ["<40", ">400", nil, nil] && glucose.suffix(2).map(\.value) == [40, 12])
        #expect(decoded.rejects.map(\.reason) == ["the sensor writes this where it measures nothing"])
    }

    @Test("Nightscout: a temporary basal rate that is written twice is one")
    func temporaryBasal() throws {
        let decoded = try decoded(
            #"""
            [{"_id":"1","eventType":"Temp Basal","created_at":"2023-10-25T21:40:00.000Z","duration":30,"rate":0.55,"absolute":0.55},
             {"_id":"2","eventType":"Temp Basal","created_at":"2023-10-25T22:40:00.000Z","duration":30,"absolute":0.8}]
            """#, "treatments.json")
        let rates = decoded.rows.filter { $0.metric == "insulin-rate" }
        #expect(rates.map(\.value) == [0.55, 0.8] && rates.allSatisfy { $0.sequence == 0 })
        #expect(decoded.account.accepted == decoded.rows.count)
    }

    @Test("Tidepool: all of a bolus, what was eaten by the calculator, and insulin by hand; what is not understood is told")
    func tidepool() throws {
        let head = #""deviceId":"pump","uploadId":"u","deviceTime":"2023-10-25T21:40:00","time":"#
        let decoded = try decoded(
            """
            [{"type":"bolus","subType":"square","extended":3.5,"duration":7200000,\(head)"2023-10-25T21:00:00.000Z"},
             {"type":"bolus","subType":"dual/square","normal":1.5,"extended":2.5,"duration":3600000,\(head)"2023-10-25T22:00:00.000Z"},
             {"type":"bolus","subType":"normal","normal":4,\(head)"2023-10-25T23:00:00.000Z"},
             {"type":"wizard","carbInput":45,\(head)"2023-10-26T00:00:00.000Z"},
             {"type":"insulin","dose":{"total":18,"units":"Units"},\(head)"2023-10-26T01:00:00.000Z"},
             {"type":"food","name":"a cake",\(head)"2023-10-26T02:00:00.000Z"},
             {"type":"cbg","value":6.5,"units":"mmol/L",\(head)"2023-10-26T03:00:00.000Z"}]
            """, "tidepool.json")
        let insulin = decoded.rows.filter { $0.metric == "insulin" }
        #expect(insulin.map(\.value) == [1.5, 4, 18] && insulin.allSatisfy { $0.unit == "[iU]" && $0.sequence == 0 })
        let extended = decoded.rows.filter { $0.metric == "insulin-extended" }
        #expect(extended.map(\.value) == [3.5, 2.5] && extended.map(\.interval) == [7200, 3600])
        #expect(decoded.values("carbohydrates") == [45] && decoded.values("blood-glucose").count == 1)
        #expect(decoded.rejects.map(\.reason) == ["the row names food and has no value in a member that is known for it"])
    }
}
