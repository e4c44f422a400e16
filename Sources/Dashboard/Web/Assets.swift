import GarnerDigest

/// The style sheet and the script, which are part of the program. A browser keeps them, since their names change with their
/// contents.
enum Assets {
    static let style = Asset("style", "css", type: "text/css; charset=utf-8", PackageResources.style_css)
    static let script = Asset("script", "js", type: "text/javascript; charset=utf-8", PackageResources.script_js)

    static let icon = Asset("icon", "svg", type: "image/svg+xml", PackageResources.icon_svg)
    /// The icon in the colour of failures, for pages that tell of trouble.
    static let alarm = Asset(
        "alarm", "svg", type: icon.type,
        Array(String(decoding: icon.bytes, as: UTF8.self).replacing("#2b52c2", with: "#b3261e").utf8))

    struct Asset: Sendable {
        let name: String
        let type: String
        let bytes: [UInt8]

        fileprivate init(_ name: String, _ ending: String, type: String, _ bytes: [UInt8]) {
            self.name = "\(name)-\(SHA256.hexDigest(of: bytes).prefix(12)).\(ending)"
            self.type = type
            self.bytes = bytes
        }

        var path: String { "/assets/\(name)" }
    }

    static func response(_ name: String) throws -> WebResponse {
        guard let asset = [style, script, icon, alarm].first(where: { $0.name == name }) else {
            throw DashboardError.noPage(Link("assets", name))
        }
        return WebResponse(
            type: asset.type, .bytes(asset.bytes), headers: [("Cache-Control", "public, max-age=31536000, immutable")])
    }
}
