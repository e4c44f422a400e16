extension Animal {
    /// An SVG picture, the same each time: a silhouette of the animal's group in a landscape of its own.
    var picture: String {
        let scene = Scene.all[id % Scene.all.count]
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
            <path d="M0 196 Q100 168 200 190 T400 184 V300 H0 Z" fill="\(scene.ground)"/>
            <g transform="\(place)" fill="\(scene.ink)" stroke="\(scene.ink)" stroke-linecap="round">
            \(type.silhouette)
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

extension AnimalType {
    /// SVG shapes that face left, on a canvas of 400 by 300 with the ground at 216.
    ///
    /// They take fill and stroke from the group that contains them.
    var silhouette: String {
        switch self {
        case .mammal:
            """
            <ellipse cx="212" cy="152" rx="70" ry="34"/>
            <path d="M166 140 L132 104 Q104 108 96 126 Q104 138 126 136 L152 166 Z"/>
            <path d="M128 108 L132 86 L144 108 Z"/>
            <path d="M160 168 V214 M180 174 V214 M246 174 V214 M266 166 V214" stroke-width="14"/>
            <path d="M278 140 Q308 134 304 176" stroke-width="6" fill="none"/>
            """
        case .bird:
            """
            <path d="M128 106 Q160 92 176 122 Q226 118 262 158 L316 176 L254 180 Q196 196 158 164 Q142 150 142 128 Z"/>
            <path d="M138 100 L104 114 L140 118 Z"/>
            <circle cx="152" cy="112" r="20"/>
            <path d="M190 180 V214 M212 180 V214 M190 214 H176 M212 214 H198" stroke-width="5" fill="none"/>
            """
        case .reptile:
            """
            <path d="M76 168 Q98 146 132 158 Q206 130 262 168 Q312 192 352 170
                Q316 214 254 196 Q198 208 136 186 Q96 190 76 178 Z"/>
            <path d="M148 184 L128 212 M168 190 L160 214 M238 192 L230 214 M258 190 L276 212" stroke-width="12"/>
            <path d="M78 174 L58 178 M64 176 L54 170" stroke-width="3"/>
            """
        case .amphibian:
            """
            <path d="M112 152 Q130 122 172 136 Q236 138 268 194 Q210 214 158 202 Q116 186 112 152 Z"/>
            <circle cx="146" cy="130" r="13"/>
            <path d="M154 192 L138 214 H118 M176 200 L170 214 H150" stroke-width="10" fill="none"/>
            <path d="M262 188 Q292 148 224 164 L286 206 L250 214 H298" stroke-width="13" fill="none"/>
            """
        case .fish:
            """
            <path d="M84 150 Q160 82 258 146 L316 104 Q298 150 316 196 L258 156 Q160 216 84 150 Z"/>
            <path d="M152 120 Q184 82 222 98 L214 128 Z"/>
            <path d="M168 172 Q186 206 212 196 L200 168 Z"/>
            """
        case .insect:
            """
            <ellipse cx="220" cy="164" rx="58" ry="26"/>
            <ellipse cx="156" cy="162" rx="22" ry="20"/>
            <circle cx="124" cy="160" r="16"/>
            <path d="M166 150 Q210 76 270 104 Q252 142 190 156 Z" fill-opacity="0.55"/>
            <path d="M156 178 L138 214 M172 182 L178 214 M206 186 L226 214" stroke-width="6" fill="none"/>
            <path d="M116 148 Q98 118 78 124 M124 144 Q116 112 98 104" stroke-width="4" fill="none"/>
            """
        case .arachnid:
            """
            <ellipse cx="234" cy="158" rx="50" ry="36"/>
            <ellipse cx="164" cy="166" rx="30" ry="22"/>
            <path d="M180 156 L214 100 L252 84 M168 152 L180 96 L206 70 M152 152 L136 98 L104 82
                M140 158 L104 118 L68 128"
                stroke-width="6" fill="none"/>
            <path d="M188 178 L214 196 L240 214 M172 184 L182 202 L192 214 M152 184 L132 202 L122 214
                M140 176 L100 190 L76 214"
                stroke-width="6" fill="none"/>
            """
        case .crustacean:
            """
            <path d="M128 158 Q200 96 272 158 Q252 204 200 204 Q148 204 128 158 Z"/>
            <path d="M136 160 L96 132 M264 160 L304 132" stroke-width="10"/>
            <path d="M102 136 Q64 128 76 84 L90 112 L108 92 Q120 118 102 136 Z"/>
            <path d="M298 136 Q336 128 324 84 L310 112 L292 92 Q280 118 298 136 Z"/>
            <path d="M146 188 L98 190 L84 214 M160 198 L126 204 L116 216 M254 188 L302 190 L316 214
                M240 198 L274 204 L284 216"
                stroke-width="6" fill="none"/>
            <path d="M184 128 V108 M216 128 V108" stroke-width="5"/>
            """
        case .mollusc:
            """
            <path d="M138 150 Q128 72 200 70 Q272 72 262 150 Q250 176 200 176 Q150 176 138 150 Z"/>
            <path d="M152 160 Q140 212 92 204 Q70 198 80 182 M172 170 Q168 218 128 214 M192 172 Q194 214 172 216
                M212 172 Q210 214 232 216 M230 170 Q234 218 274 214 M248 160 Q262 212 310 204 Q330 198 320 182"
                stroke-width="12" fill="none"/>
            """
        }
    }
}
