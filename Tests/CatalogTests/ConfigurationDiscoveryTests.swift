import GarnerCatalog
import Testing

struct ConfigurationDiscoveryTests {
    private let all = [
        "flag.yaml", "variable.yaml", "garner.yaml", "/xdg/garner/garner.yaml", "/home/me/.config/garner/garner.yaml",
        "/etc/garner/garner.yaml",
    ]

    @Test(arguments: [
        ("flag.yaml" as String?, ["GARNER_CONFIG": "variable.yaml"], "flag.yaml"),
        (nil, ["GARNER_CONFIG": "variable.yaml"], "variable.yaml"),
        (nil, ["GARNER_CONFIG": ""], "garner.yaml"),
        (nil, [:], "garner.yaml"),
    ])
    func `the flag comes before the variable, and that before the folder`(
        flag: String?, environment: [String: String], expected: String
    ) throws {
        #expect(try ConfigurationDiscovery.find(flag: flag, environment: environment) { all.contains($0) } == expected)
    }

    @Test(arguments: [
        (["XDG_CONFIG_HOME": "/xdg", "HOME": "/home/me"], "/xdg/garner/garner.yaml"),
        (["XDG_CONFIG_HOME": "relative", "HOME": "/home/me"], "/home/me/.config/garner/garner.yaml"),
        (["HOME": "/home/me"], "/home/me/.config/garner/garner.yaml"),
        ([:], "/etc/garner/garner.yaml"),
    ])
    func `without a file here the user's folder is tried, then the system's`(
        environment: [String: String], expected: String
    ) throws {
        let found = try ConfigurationDiscovery.find(flag: nil, environment: environment) {
            $0 != "garner.yaml" && all.contains($0)
        }
        #expect(found == expected)
    }

    @Test func `a named file that is missing is not replaced by another`() {
        #expect(throws: ConfigurationError.notFound(searched: ["nowhere.yaml"])) {
            try ConfigurationDiscovery.find(flag: "nowhere.yaml", environment: [:]) { all.contains($0) }
        }
    }

    @Test func `when there is none, every place is told in order`() {
        let places = ["garner.yaml", "/home/me/.config/garner/garner.yaml", "/etc/garner/garner.yaml"]
        #expect(throws: ConfigurationError.notFound(searched: places)) {
            try ConfigurationDiscovery.find(flag: nil, environment: ["HOME": "/home/me"]) { _ in false }
        }
    }
}
