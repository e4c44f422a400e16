import GarnerCatalog
import Testing

struct CronExpressionTests {
    @Test(arguments: [
        ("* * * * *", Array(0...59), Array(0...23), Array(1...31), Array(1...12), Array(0...6)),
        ("5 4 3 2 1", [5], [4], [3], [2], [1]),
        (
            "*/15 8-18/2 1,15 JAN-MAR mon-FRI", [0, 15, 30, 45], [8, 10, 12, 14, 16, 18], [1, 15], [1, 2, 3],
            [1, 2, 3, 4, 5]
        ),
        ("59 23 31 12 7", [59], [23], [31], [12], [0]),
        ("20-35/15 0 */10 */5 */2", [20, 35], [0], [1, 11, 21, 31], [1, 6, 11], [0, 2, 4, 6]),
        ("1,1,2-3,3 0 1 1 0,7", [1, 2, 3], [0], [1], [1], [0]),
        ("0 0 1 1 5-7", [0], [0], [1], [1], [0, 5, 6]),
        ("0 0 1 1 fri-sun", [0], [0], [1], [1], [0, 5, 6]),
        ("0 0 1 1 Sun-Tue,sat", [0], [0], [1], [1], [0, 1, 2, 6]),
        ("  0\t0  1 1   0 ", [0], [0], [1], [1], [0]),
        ("@yearly", [0], [0], [1], [1], Array(0...6)),
        ("@annually", [0], [0], [1], [1], Array(0...6)),
        ("@Monthly", [0], [0], [1], Array(1...12), Array(0...6)),
        ("@weekly", [0], [0], Array(1...31), Array(1...12), [0]),
        ("@daily", [0], [0], Array(1...31), Array(1...12), Array(0...6)),
        ("@midnight", [0], [0], Array(1...31), Array(1...12), Array(0...6)),
        ("@hourly", [0], Array(0...23), Array(1...31), Array(1...12), Array(0...6)),
    ])
    func `an expression is its five sets of numbers`(
        text: String, minutes: [Int], hours: [Int], days: [Int], months: [Int], weekdays: [Int]
    ) throws {
        let cron = try CronExpression(text)
        #expect(numbers(cron.minutes) == minutes)
        #expect(numbers(cron.hours) == hours)
        #expect(numbers(cron.days) == days)
        #expect(numbers(cron.months) == months)
        #expect(numbers(cron.weekdays) == weekdays)
    }

    @Test(arguments: [
        ("* * * * *", true, true), ("0 6 * * *", true, false), ("0 6 1 * 1", false, false),
        ("0 6 */2 * 1", true, false),
        ("0 6 1 * */2", true, false), ("*/5 6 1 * 1", false, true), ("0 */2 1 * 1", false, true),
        ("0,30 0-23 1 * 1", false, false), ("@hourly", true, true), ("@daily", true, false),
    ])
    func `a star at the beginning of a field is remembered`(text: String, needsBothDays: Bool, isWild: Bool) throws {
        let cron = try CronExpression(text)
        #expect(cron.needsBothDays == needsBothDays)
        #expect(cron.isWild == isWild)
    }

    @Test(arguments: [
        ("", "has 0 fields", "minute, hour"),
        ("* * * *", "has 4 fields", "0 6 * * *"),
        ("0 * * * * *", "has 6 fields", "leave the seconds out"),
        (
            "CRON_TZ=Europe/Berlin 0 6 * * *", "a zone stands in front",
            "write timezone: Europe/Berlin beside cron: \"0 6 * * *\""
        ),
        ("60 * * * *", "'60' is out of range (minute)", "0 to 59"),
        ("0 24 * * *", "'24' is out of range (hour)", "0 to 23"),
        ("0 0 0 * *", "'0' is out of range (day of month)", "1 to 31"),
        ("0 0 32 * *", "'32' is out of range (day of month)", "1 to 31"),
        ("0 0 * 13 *", "'13' is out of range (month)", "1 to 12"),
        ("0 0 * * 8", "'8' is out of range (day of week)", "0 to 7"),
        ("99999999999999999999 * * * *", "is out of range (minute)", "0 to 59"),
        ("-1 * * * *", "'' is no minute", "5-55/10"),
        ("1- * * * *", "'' is no minute", "5-55/10"),
        ("1,,2 * * * *", "'' is no minute", "5-55/10"),
        ("a * * * *", "'a' is no minute", "5-55/10"),
        ("+5 * * * *", "'+5' is no minute", "5-55/10"),
        ("٣ * * * *", "'٣' is no minute", "5-55/10"),
        ("0 0 * FEBR *", "'FEBR' is no month", "MAR-OCT"),
        ("0 0 * * feb", "'feb' is no day of week", "MON-FRI"),
        ("0 0 L * *", "'L' is no day of month", "1,15"),
        ("0 0 15W * *", "'15W' is no day of month", "1,15"),
        ("0 0 ? * 1", "'?' is no day of month", "1,15"),
        ("0 0 * * 1#2", "'1#2' is no day of week", "MON-FRI"),
        ("*/0 * * * *", "'/0' is no step", "*/5"),
        ("*/ * * * *", "'/' is no step", "*/5"),
        ("*/-2 * * * *", "'/-2' is no step", "*/5"),
        ("*/2/2 * * * *", "'/2/2' is no step", "*/5"),
        ("*/90 * * * *", "the step of '/90' is longer than the field", "every: 90m"),
        ("5/15 * * * *", "'5/15' has a step without a range", "5-59/15"),
        ("50-10 * * * *", "'50-10' goes backwards", "50-59,0-10"),
        ("0 22-4 * * *", "'22-4' goes backwards", "22-23,0-4"),
        ("0 0 * * sat-mon", "'sat-mon' goes backwards", "sat-7,0-mon"),
        ("@reboot", "'@reboot' is no schedule of cron", "@daily"),
        ("@dayly", "'@dayly' is no schedule of cron", "did you mean '@daily'?"),
        ("@every 5m", "'@every 5m' is no schedule of cron", "write schedule: { every: 5m }"),
        ("@daily 5", "'@daily 5' is no schedule of cron", "@"),
        ("0 0 30 2 *", "'0 0 30 2 *' names a day that no month has", "change the day"),
        ("0 0 31 FEB,4,jun,9,11 *", "names a day that no month has", "change the day"),
        ("0 0 31 4 */2", "names a day that no month has", "change the day"),
    ])
    func `what is no expression is refused with what to write`(text: String, message: String, hint: String) throws {
        let problem = try #require(throws: CronExpression.ParseError.self) { try CronExpression(text) }
        #expect(problem.message.contains(message), "\(problem)")
        #expect(problem.hint.contains(hint), "\(problem)")
    }

    @Test(arguments: ["0 0 29 2 *", "0 0 30 2 1", "0 0 31 4 MON", "0 0 31 1,4 *", "0 0 */31 2 1"])
    func `a day that comes in some year, or a weekday instead, is no mistake`(text: String) throws {
        _ = try CronExpression(text)
    }

    @Test func `an expression shows as written, with single spaces`() throws {
        #expect(try CronExpression("  0  6\t* *  MON ").description == "0 6 * * MON")
        #expect(try CronExpression("0 6 * * *") == CronExpression(" 0 6 *  * *"))
        #expect(try CronExpression("0 6 * * *") != CronExpression("0 7 * * *"))
    }

    private func numbers(_ bits: UInt64) -> [Int] {
        (0..<64).filter { bits.hasBit($0) }
    }
}
