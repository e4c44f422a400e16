import Dashboard
import TestSupport
import Testing

/// Records whose keys no path can have, since browsers take them for steps.
@Suite struct RecordAddressTests {
    @Test(arguments: ["", ".", "..", "a.json", "a/b", "%2E", " ", "\u{FC}"])
    func `a record with an odd key has a page that its table links to`(key: String) async throws {
        let rig = try DashboardRig()
        try await rig.sync(DashboardRig.stream(), #"[{"id":"\#(key)","name":"odd"}]"#)
        let table = try await rig.get("/tables/animals")
        let link = Link.record([key], of: "animals").text
        #expect(table.contains("href=\"\(link)\""))
        for step in ["/./", "/../", "%2E%2E/", "/%2E/", "//"] { #expect(!link.contains(step)) }
        #expect(!link.hasSuffix("/%2E") && !link.hasSuffix("/%2E%2E") && !link.hasSuffix("/"))
        let page = try await rig.get(link)
        #expect(page.status == 200)
        #expect(page.contains("odd"))
    }

    @Test(arguments: [
        "/runs.csv", "/index.csv", "/changes.csv", "/tables.csv", "/runs/99", "/runs/99.json", "/quarantine/1/drop",
    ])
    func `what is not there is a missing page`(target: String) async throws {
        let rig = try DashboardRig()
        #expect(try await rig.get(target).status == 404)
    }
}
