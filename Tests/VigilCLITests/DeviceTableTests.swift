import Testing

@testable import VigilCLI

@Suite("The list of devices")
struct DeviceTableTests {
    @Test("has a line for each device, with what an operator should know")
    func lines() throws {
        let json = """
            [{"participant":"12","device":"A01","firstSeen":1484840182,"lastSeen":1484840242.5,"messages":3,"accepted":2,"refused":1,
              "lastReject":"the payload is empty","lastRejectCode":"malformed","lastRejectTime":1484840190,"clockOffset":-300,
              "quarantined":true,"boundTo":"12","battery":80.4,"signal":"-60 dBm","firmware":"1.2","lastContact":1484840182}]
            """
        let lines = try DeviceTable(json: json).description.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines[0].hasPrefix("PARTICIPANT  DEVICE  LAST SEEN"))
        #expect(lines[1].hasPrefix("12           A01     2017-01-19T15:37:22Z  3         2         1        in quarantine; bound to 12"))
        #expect(
            lines[1].hasSuffix(
                "clock 300 s ahead; battery 80 %; signal -60 dBm; firmware 1.2; last contact 2017-01-19T15:36:22Z; refused 2017-01-19T15:36:30Z: the payload is empty"
            ))
    }

    @Test("lists one participant's devices where one is named, as a table and as JSON")
    func filtered() throws {
        let entry =
            #"{"participant":"NAME","device":"A01","firstSeen":1,"lastSeen":2,"messages":3,"accepted":2,"refused":0,"quarantined":false}"#
        let json = "[\(entry.replacing("NAME", with: "anna")),\(entry.replacing("NAME", with: "bernd"))]"
        let table = try DeviceTable(json: json, participants: ["anna"])
        #expect(table.description.split(separator: "\n").count == 2 && !table.description.contains("bernd"))
        #expect(try DeviceTable(json: table.json()).description == table.description)
        #expect(try DeviceTable(json: json, participants: ["carl"]).description == "no device of carl has sent anything yet")
    }

    @Test("has seen no device that never sent, though something was decided about it")
    func decided() throws {
        let json = """
            [{"participant":"anna","device":"nosuch","firstSeen":1484840182,"lastSeen":1484840182,"messages":0,"accepted":0,"refused":0,"quarantined":true}]
            """
        let line = try #require(DeviceTable(json: json).description.split(separator: "\n").last)
        #expect(line.contains("never") && !line.contains("2017") && line.hasSuffix("in quarantine"))
    }

    @Test("says so where nothing was sent")
    func empty() throws {
        #expect(try DeviceTable(json: "[]").description == "no device has sent anything yet")
    }
}
