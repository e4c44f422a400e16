import GarnerLibC
import GarnerModel
import GarnerPresentation

struct Terminal {
    /// The cells of a line; nil if unknown.
    let columns: Int?
    /// The lines of the screen; nil if unknown.
    let lines: Int?

    /// Reads the size from the terminal, or else from the environment. Returns nil if standard output is not a terminal.
    init?(_ environment: [String: String]) {
        guard isatty(STDOUT_FILENO) == 1 else { return nil }
        var size = winsize()
        let isKnown = ioctl(STDOUT_FILENO, Self.sizeRequest, &size) == 0
        func count(_ count: UInt16, _ variable: String) -> Int? {
            if isKnown, count > 0 { return Int(count) }
            return environment[variable].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
        }
        columns = count(size.ws_col, "COLUMNS")
        lines = count(size.ws_row, "LINES")
    }

    #if canImport(Darwin)
        /// The value of `TIOCGWINSZ`, a macro that Swift does not import.
        private static let sizeRequest: UInt = 0x4008_7468
    #else
        private static let sizeRequest = UInt(TIOCGWINSZ)
    #endif
}

extension Setup {
    /// The layout of tables on standard output.
    var tableLayout: TableLayout {
        let form: TableLayout.Form =
            options.vertical
            ? .vertical : options.wide ? .wide : .columns(width: Terminal(environment)?.columns)
        return TableLayout(form, decoration(on: STDOUT_FILENO))
    }

    /// True if long values may be cut: in a table that fits the width of a terminal. A pipe or file gets all.
    var cutsValues: Bool { showsSelection && Terminal(environment)?.columns != nil }

    /// True if the tables show the main fields only.
    var showsSelection: Bool { format == .table && !options.wide && !options.vertical }

    /// Writes a table to standard output in a format for people.
    func write(_ table: TextTable) throws {
        var table = table
        try paging {
            try StandardOutput.write(table.take(as: format, tableLayout))
            tellOmitted(columns: table.omittedColumns)
        }
    }

    /// Reports on standard error how many columns do not fit, and the options that show them.
    func tellOmitted(columns count: Int) {
        guard count > 0, !isQuiet else { return }
        StandardError.write("\(count.counted("more column")): --wide shows all, --vertical one field a line\n")
    }
}

extension Report {
    /// Writes all records to standard output. If there are none, writes the hint to standard error.
    func write(to setup: Setup) throws {
        if records.isEmpty, !setup.format.isJSON { return StandardError.write("\(emptyHint)\n") }
        try setup.paging {
            setup.tellOmitted(
                columns: try write(as: setup.format, setup.tableLayout, to: StandardOutput.write))
        }
    }
}

extension Setup {
    /// Writes records in a format for programs. Returns true if people are to be told in words instead.
    func tellsPeople(insteadOf records: [[Report.Field]]) throws -> Bool {
        guard format == .table else {
            try Report(records: records).write(to: self)
            return false
        }
        return !isQuiet
    }
}

extension ANSIStyle {
    /// "NO_COLOR … when present and not an empty string" (no-color.org) wins over FORCE_COLOR.
    init(_ choice: ColorChoice, _ environment: [String: String], on descriptor: Int32) {
        let isOn =
            switch choice {
            case .always: true
            case .never: false
            case .auto:
                if !environment["NO_COLOR", default: ""].isEmpty {
                    false
                } else if !environment["FORCE_COLOR", default: ""].isEmpty {
                    true
                } else {
                    isatty(descriptor) == 1 && environment["TERM"] != "dumb"
                }
            }
        self.init(isOn: isOn)
    }
}
