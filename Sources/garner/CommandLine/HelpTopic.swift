/// The topics of `garner help` besides the commands.
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
            GARNER_CONFIG        the configuration, as --config
            GARNER_DATABASE      the database, as --database
            GARNER_FORMAT        how results are written, as --format
            GARNER_LOG_FORMAT    how 'garner serve' logs, as --log-format
            GARNER_SYNCHRONOUS   'full', as without it: what was stored outlives a loss of
                                 power; 'normal' waits less for the disk, but a loss of
                                 power may undo the latest pages, which are fetched again
            GARNER_NO_PROGRESS   if not empty: no progress line, as --no-progress
            GARNER_PAGER         shows tables that are longer than the screen; without it
                                 PAGER, and at last less; if empty: none, as --no-pager
            LESS                 the options of less; FRX if it is not set
            COLUMNS              the width of a terminal that does not know its own
            NO_COLOR             if not empty: no colours, even with FORCE_COLOR
            FORCE_COLOR          if not empty: colours without a terminal too
            XDG_CONFIG_HOME      where garner/garner.yaml is looked for after ./garner.yaml;
                                 without it ~/.config, and at last /etc/garner/garner.yaml
            http_proxy           the proxy for http; 'proxy' in garner.yaml goes before it
            https_proxy          the proxy for https, likewise
            no_proxy             the hosts that need no proxy

            Options go before the environment, and the environment before the file.
            ${NAME} in garner.yaml stands for any variable, such as a token.

            """
        case .exitCodes:
            """
              0  done
              1  failed
              2  some streams failed, others did not
              3  with --check: a stream is overdue or failing
             64  the command was not understood
             65  the server's answer is no usable data: not JSON, or not as configured
             66  a file is missing
             69  the server cannot be reached or refuses, after all retries
             70  a bug in Garner
             71  the system lets the program open too few files at once (ulimit -n)
             73  the output cannot be created
             74  a file cannot be read or written, or the disk is full
             75  the database is locked by another writer, or the running service is
                 busy, about to stop, or does not answer
             77  no permission: HTTP 401 or 403, a proxy's 407, or a file's permissions
             78  the configuration is not valid
            130  stopped by Ctrl-C (SIGINT)
            143  stopped by SIGTERM; 'garner serve' ends with 0 then, unless runs had to be
                 cancelled when their grace was over

            With several streams: if all failed, the code that they share, else 1.

            """
        case .formats:
            """
            table      for people: aligned columns, cut to fit a terminal; the default;
                       --wide shows all columns uncut, --vertical one field a line
            json       an array of objects; 'garner sync' prints one object for each stream
            ndjson     one JSON object a line
            csv        RFC 4180 with LF: NULL is nothing, the empty text is ""
            tsv        tab, line feed, carriage return and backslash as \\t \\n \\r \\\\;
                       NULL and the empty text are both nothing
            markdown   a table for a README or an issue

            A 64-bit integer is a JSON number in all its digits. A number that no column
            type holds exactly is stored and written as a text in its exact spelling.
            Blobs are {"$base64": "…"}; times are RFC 3339 in UTC.
            In a CSV of one column, a NULL is an empty line.

            """
        }
    }
}
