extension Animal {
    /// An SVG picture, the same each time: the animal's outline in a landscape of its own.
    var picture: String {
        let scene = Scene.all[id % Scene.all.count]
        let silhouette = Silhouette(of: self)
        let surroundings = silhouette.surroundings
        let light = surroundings == .water ? scene.ground : scene.sky
        let sunX = 40 + id * 67 % 320
        let sunRadius = 14 + id * 5 % 17
        // Every other animal looks to the right.
        let place = id.isMultiple(of: 2) ? "translate(400 0) scale(-1 1)" : "translate(0 0)"
        let title = Self.escaped(name)
        // Room for about 24 letters in full size.
        let titleSize = min(28, 28 * 24 / max(name.count, 1))
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 300" width="800" height="600" role="img">
            <title>\(title)</title>
            <rect width="400" height="300" fill="\(scene.sky)"/>
            <circle cx="\(sunX)" cy="52" r="\(sunRadius)" fill="\(scene.sun)"/>
            <path d="\(surroundings.ground)" fill="\(scene.ground)"/>
            <g transform="\(place)" fill="\(scene.ink)" stroke="\(scene.ink)" stroke-width="0" stroke-linecap="round">
            \(silhouette.shapes(light: light))
            </g>
            <g fill="\(scene.ink)" text-anchor="middle" font-family="Georgia, 'DejaVu Serif', serif">
            <text x="200" y="260" font-size="\(titleSize)">\(title)</text>
            <text x="200" y="283" font-size="15" font-style="italic">\(Self.escaped(latinName))</text>
            </g>
            </svg>

            """
    }

    /// Returns text escaped for XML content and attributes.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

/// The colours of a picture.
private struct Scene {
    let sky: String
    let ground: String
    let sun: String
    let ink: String

    static let all = [
        Scene(sky: "#fde8c8", ground: "#e9b872", sun: "#f25f3a", ink: "#4a2c1a"),
        Scene(sky: "#cfe8f5", ground: "#8fc1a9", sun: "#fff3b0", ink: "#173f35"),
        Scene(sky: "#f7d6d0", ground: "#d98f89", sun: "#fff0e5", ink: "#4d1f2b"),
        Scene(sky: "#dcd6f7", ground: "#a6a0d8", sun: "#fdfcdc", ink: "#2a2559"),
        Scene(sky: "#e4f1d8", ground: "#a8cf8e", sun: "#ffd166", ink: "#254117"),
        Scene(sky: "#d5f2ee", ground: "#7cc6c3", sun: "#ffe8a3", ink: "#0f4650"),
        Scene(sky: "#fff1c9", ground: "#f2cb6c", sun: "#ff9f5a", ink: "#57380c"),
        Scene(sky: "#e3e7ee", ground: "#aab6c8", sun: "#ffffff", ink: "#263245"),
        Scene(sky: "#fbdcec", ground: "#df9fc0", sun: "#fff6d6", ink: "#571845"),
        Scene(sky: "#d9e4c9", ground: "#b59f6f", sun: "#f6e27f", ink: "#3b3214"),
        Scene(sky: "#c9dcf2", ground: "#7d9cc9", sun: "#fce5b5", ink: "#14284b"),
    ]
}
