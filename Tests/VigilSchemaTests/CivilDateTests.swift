import Testing
import VigilSchema

@Suite("Days of the calendar")
struct CivilDateTests {
    /// From Python's `datetime.date`, but for the years that it does not have.
    @Test(
        "are counted from 1970",
        arguments: [
            (1970, 1, 1, 0), (1969, 12, 31, -1), (1970, 12, 31, 364), (1972, 2, 29, 789), (1972, 3, 1, 790), (2000, 2, 29, 11016),
            (2000, 3, 1, 11017), (1900, 2, 28, -25509), (1900, 3, 1, -25508), (2400, 2, 29, 157_113), (1, 1, 1, -719_162),
            (0, 3, 1, -719_468), (0, 2, 29, -719_469), (-400, 3, 1, -865_565), (-400, 2, 29, -865_566),
        ] as [(Int, Int, Int, Int)])
    func counted(year: Int, month: Int, day: Int, days: Int) {
        let date = CivilDate(year: year, month: month, day: day)
        #expect(date.daysSince1970 == days)
        #expect(CivilDate(daysSince1970: days) == date)
    }

    /// Days are counted one year after the other, as the rule of leap years says.
    @Test("agree with counting, at both ends of each month of 4,000 years")
    func agree() {
        let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        // 1 January of the year -1000: 2,970 years before 1970, 720 of them leap years (-1000 to 1969), of 365 days and a day.
        var count = -(2970 * 365 + 720)
        var wrong: [String] = []
        for year in -1000..<3000 {
            for month in 1...12 {
                let isLeap = year % 400 == 0 || year % 4 == 0 && year % 100 != 0
                let length = lengths[month - 1] + (month == 2 && isLeap ? 1 : 0)
                if CivilDate.days(in: month, of: year) != length { wrong.append("length of \(year)-\(month)") }
                for day in [1, length] {
                    let date = CivilDate(year: year, month: month, day: day)
                    if date.daysSince1970 != count + day - 1 { wrong.append("number of \(date)") }
                    if CivilDate(daysSince1970: count + day - 1) != date { wrong.append("day \(count + day - 1)") }
                }
                count += length
            }
        }
        #expect(wrong.isEmpty, "\(wrong.prefix(5))")
    }

    @Test("follow one another without a gap, through a leap day and a turn of the century")
    func consecutive() {
        for start in [10_956, -25_600, 46_990, -719_500] {
            let dates = (start..<start + 430).map { CivilDate(daysSince1970: $0) }
            #expect(dates.allSatisfy(\.isValid) && Set(dates).count == 430)
            #expect(dates.map(\.daysSince1970) == Array(start..<start + 430))
        }
    }

    @Test(
        "exist or not",
        arguments: [
            (2023, 1, 31, true), (2023, 1, 32, false), (2023, 1, 1, true), (2023, 1, 0, false), (2023, 4, 30, true), (2023, 4, 31, false),
            (2023, 6, 31, false), (2023, 9, 31, false), (2023, 11, 31, false), (2023, 12, 31, true), (2023, 0, 1, false),
            (2023, 13, 1, false), (2023, 2, 28, true), (2023, 2, 29, false), (2024, 2, 29, true), (2024, 2, 30, false),
            (1900, 2, 29, false), (2000, 2, 29, true), (2023, 7, -1, false),
        ] as [(Int, Int, Int, Bool)])
    func existing(year: Int, month: Int, day: Int, exists: Bool) {
        #expect(CivilDate(year: year, month: month, day: day).isValid == exists)
    }

    @Test("are written with four and two digits")
    func written() {
        #expect(CivilDate(year: 2017, month: 1, day: 19).text == "2017-01-19")
        #expect(CivilDate(year: 33, month: 12, day: 3).text == "0033-12-03")
        #expect(CivilDate(year: 12345, month: 10, day: 10).text == "12345-10-10")
    }

    @Test(
        "a quotient is rounded down, also below nought",
        arguments: [(0, 0), (1, 0), (399, 0), (400, 1), (-1, -1), (-399, -1), (-400, -1), (-401, -2), (-800, -2)])
    func quotient(dividend: Int, quotient: Int) { #expect(dividend.flooredQuotient(by: 400) == quotient) }
}
