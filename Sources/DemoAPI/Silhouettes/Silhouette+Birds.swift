extension Silhouette {
    /// Birds, of which some fly and some stand.
    enum Bird: CaseIterable {
        case bird, toucan, soarer, hummingbird, penguin, owl, wader, ratite

        /// Returns the shapes.
        ///
        /// - Parameter light: The colour of eyes and of lines within the shape.
        func shapes(_ light: String) -> String {
            switch self {
            case .bird:
                """
                <path d="M60 120 L104 106 C112 90 134 84 152 94 C166 102 168 116 178 124 C210 126 246 140 272 158 L340
                    166 L288 182 C266 188 244 188 224 184 C186 188 148 176 134 146 C130 138 124 132 108 128 Z"/>
                <path d="M182 140 C216 142 246 156 262 174 C228 182 192 170 182 140 Z" fill="\(light)"
                    fill-opacity="0.35"/>
                <path d="M190 182 V214 H174 M212 184 V214 H196" stroke-width="6" fill="none" stroke-linejoin="round"/>
                <circle cx="130" cy="108" r="5" fill="\(light)"/>
                """
            case .toucan:
                """
                <path d="M50 142 C48 108 82 90 124 96 C146 86 176 98 178 124 C214 130 244 156 254 180 L300 224 L246 210
                    C196 214 152 190 148 148 C112 134 76 128 50 142 Z"/>
                <path d="M186 148 C212 152 234 168 244 190 C212 192 190 176 186 148 Z" fill="\(light)"
                    fill-opacity="0.35"/>
                <path d="M192 196 V218 M210 202 V218" stroke-width="6" fill="none"/>
                <path d="M142 222 H284" stroke-width="9"/>
                <circle cx="150" cy="112" r="6" fill="\(light)"/>
                <path d="M124 98 C132 110 136 122 134 136" stroke="\(light)" stroke-width="3" fill="none"/>
                """
            case .soarer:
                """
                <path d="M94 138 C110 126 136 126 156 134 C166 104 214 70 296 54 C280 92 252 122 226 138 C256 142 286
                    152 312 168 C282 176 246 174 214 166 C198 188 160 204 104 210 C118 184 130 168 140 158 C122 160 104
                    156 96 150 L70 152 Z"/>
                <circle cx="116" cy="140" r="5" fill="\(light)"/>
                """
            case .hummingbird:
                """
                <path d="M40 122 L118 122 C124 106 150 104 160 120 C168 134 186 146 204 160 C226 176 250 196 262 222
                    C236 214 216 206 198 194 C166 190 142 166 140 136 L120 130 Z"/>
                <path d="M172 136 C186 96 226 66 292 62 C280 108 242 140 196 152 Z"/>
                <path d="M160 132 C160 98 182 68 216 52 C222 84 208 116 182 138 Z" fill-opacity="0.55"/>
                <circle cx="138" cy="120" r="5" fill="\(light)"/>
                """
            case .penguin:
                """
                <path d="M150 78 C156 56 190 46 214 60 C234 72 232 96 240 116 C256 150 258 186 240 212 H164 C150 186 148
                    146 166 114 C162 106 158 100 156 94 L126 88 Z"/>
                <path d="M170 122 C158 150 160 184 176 206 H206 C214 176 200 138 170 122 Z" fill="\(light)"/>
                <path d="M226 116 C248 136 262 164 262 192 C248 184 232 160 224 136 Z"/>
                <path d="M158 216 C166 206 186 206 192 216 Z M204 216 C212 206 232 206 238 216 Z"/>
                <circle cx="182" cy="78" r="5" fill="\(light)"/>
                """
            case .owl:
                """
                <path d="M150 62 C164 72 182 74 200 74 C218 74 236 72 250 62 C258 84 258 102 254 116 C268 152 262 192
                    232 210 H168 C138 192 132 152 146 116 C142 102 142 84 150 62 Z"/>
                <circle cx="176" cy="104" r="19" fill="\(light)"/>
                <circle cx="224" cy="104" r="19" fill="\(light)"/>
                <circle cx="178" cy="104" r="9"/>
                <circle cx="222" cy="104" r="9"/>
                <path d="M192 116 L200 132 L208 116 Z" fill="\(light)"/>
                <path d="M176 150 q8 10 16 0 q8 10 16 0 q8 10 16 0 M184 170 q8 10 16 0 q8 10 16 0" stroke="\(light)"
                    stroke-width="4" fill="none"/>
                <path d="M180 208 V218 M192 208 V218 M208 208 V218 M220 208 V218" stroke-width="7"/>
                """
            case .wader:
                """
                <path d="M104 62 C110 46 138 44 146 62 C154 84 134 104 138 124 C140 134 152 138 166 134 C206 120 262 128
                    300 158 C274 178 222 186 184 176 C146 168 120 144 124 118 C126 98 134 84 126 74 C118 82 108 92 92 96
                    C90 86 96 74 104 62 Z"/>
                <path d="M204 174 V218 H186 M228 172 C228 188 224 190 226 204 V218 H208" stroke-width="6" fill="none"
                    stroke-linejoin="round"/>
                <circle cx="122" cy="62" r="4" fill="\(light)"/>
                """
            case .ratite:
                """
                <path d="M104 64 C108 52 120 44 126 34 C136 38 144 48 146 60 C156 78 150 100 160 116 C196 104 254 108
                    284 134 C304 152 306 172 300 184 C262 196 208 192 180 176 C146 162 134 128 132 98 C130 88 126 80 120
                    78 L88 74 Z"/>
                <path d="M206 182 C202 196 210 202 206 216 H186 M236 184 C240 196 234 204 236 216 H216" stroke-width="9"
                    fill="none" stroke-linejoin="round"/>
                <circle cx="128" cy="62" r="4" fill="\(light)"/>
                """
            }
        }
    }
}
