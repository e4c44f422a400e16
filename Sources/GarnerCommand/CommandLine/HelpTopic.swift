import GarnerPresentation

enum HelpTopic: String, CaseIterable {
    case environment
    case exitCodes = "exit-codes"
    case formats

    /// Returns the topic of arguments such as `help formats`; nil for other arguments.
    init?(_ arguments: [String]) {
        guard arguments.count == 2, arguments[0] == "help" else { return nil }
        self.init(rawValue: arguments[1])
    }

    var text: String {
        switch self {
        case .environment:
            """
            GARNER_CONFIG        the configuration file, like --config
            GARNER_DATABASE      the database, like --database
            GARNER_FORMAT        the output format, like --format
            GARNER_LOG_FORMAT    the log format of 'garner serve', like --log-format
            GARNER_LEASE         how long a worker may write a database in PostgreSQL after
                                 it was last heard of; 30s if not set
            GARNER_CACHE         the folder for the copy of such a database; a folder of
                                 the user's state if not set
            GARNER_SYNCHRONOUS   'normal', the default: after a power loss, garner fetches
                                 the pages of the last second again; 'full': each page
                                 is on the disk before the next one is stored
            GARNER_NO_PROGRESS   if not empty: no progress line, like --no-progress
            GARNER_PAGER         the pager for tables longer than the screen; if not set:
                                 PAGER, or else less; if empty: none, like --no-pager
            LESS                 the options of less; FRX if not set
            COLUMNS              the width of a terminal that does not report its own
            NO_COLOR             if not empty: no colours, even with FORCE_COLOR
            FORCE_COLOR          if not empty: colours even without a terminal
            XDG_CONFIG_HOME      the folder of garner/garner.yaml, which garner looks for
                                 after ./garner.yaml and before /etc/garner/garner.yaml;
                                 ~/.config if not set
            http_proxy           the proxy for http; 'proxy' in garner.yaml overrides it
            https_proxy          the proxy for https; 'proxy' in garner.yaml overrides it
            no_proxy             the hosts that need no proxy

            Options override the environment, and the environment overrides the file.
            In garner.yaml, ${NAME} stands for any variable, such as a token.

            """
        case .exitCodes:
            """
              0  done
              1  failed
              2  some streams failed, others did not
              3  with --check: a stream is overdue, failing or known to lack records
             64  the command line is not valid
             65  the response is not usable: not JSON, or not as configured
             66  a file is missing
             69  the server cannot be reached or refuses, after all retries
             70  a bug in Garner
             71  the system allows too few open files (ulimit -n)
             73  the output cannot be created
             74  a file cannot be read or written, or the disk is full
             75  the database is locked by another writer, or the running service is
                 busy, about to stop, or does not answer
             77  no permission: HTTP 401 or 403, a proxy's 407, or a file's permissions
             78  the configuration is not valid
            130  stopped by Ctrl-C (SIGINT)
            143  stopped by SIGTERM; 'garner serve' then exits with 0, unless it had to
                 cancel runs after the grace period

            If several streams all fail, the exit code is the one they share, or else 1.

            """
        case .formats:
            RowFormat.allCases.map(Self.lines).joined() + """

                A 64-bit integer is a JSON number with all its digits. If no column type holds
                a number exactly, garner stores and writes it as text in its exact spelling.
                Blobs are {"$base64": "…"}; times are RFC 3339 in UTC.
                In a CSV file with one column, NULL is an empty line.

                """
        }
    }
    private static func lines(of format: RowFormat) -> String {
        func spaces(_ count: Int) -> String { String(repeating: " ", count: max(1, count)) }
        return format.rawValue + spaces(11 - format.rawValue.count)
            + format.help.replacing("\n", with: "\n" + spaces(11)) + "\n"
    }
}
