extension Silhouette {
    /// Animals that creep, hop, crawl or hum.
    enum Crawler: CaseIterable {
        case snake, lizard, crocodile, turtle, frog, crab, beetle, bee, locust, spider, scorpion

        /// Returns the shapes.
        ///
        /// - Parameter light: The colour of eyes and of lines within the shape.
        func shapes(_ light: String) -> String {
            switch self {
            case .snake:
                """
                <path d="M70 138 C78 112 112 108 130 128 C146 148 122 168 120 184 C118 206 150 212 170 200 C196 184 196
                    164 222 162 C250 160 252 204 284 206 C316 208 318 178 346 180" fill="none" stroke-width="24"/>
                <path d="M54 146 C50 122 78 104 104 114 C112 126 108 146 96 152 C80 160 62 160 54 146 Z"/>
                <path d="M334 168 L384 176 L338 192 Z"/>
                <path d="M56 150 L34 158 M42 155 L30 150" stroke-width="4" fill="none"/>
                <circle cx="76" cy="130" r="5" fill="\(light)"/>
                """
            case .lizard:
                """
                <path d="M60 162 C66 144 96 138 124 146 C150 132 200 130 234 146 C262 160 282 182 316 190 C338 194 356
                    192 372 184 C366 206 340 216 310 212 C272 208 250 196 220 192 C190 196 160 194 132 182 C104 186 66
                    182 60 162 Z"/>
                <path d="M146 178 C136 190 134 200 126 212 H108 M168 184 C172 198 172 206 168 214 H150 M218 182 C220 194
                    216 204 208 214 H190 M242 178 C254 190 260 200 258 214 H240" stroke-width="12" fill="none"
                    stroke-linejoin="round"/>
                <circle cx="88" cy="154" r="5" fill="\(light)"/>
                <path d="M62 168 C78 172 92 172 104 168" stroke="\(light)" stroke-width="3" fill="none"/>
                """
            case .crocodile:
                """
                <path d="M36 180 C40 168 76 164 108 162 C116 150 132 150 140 160 C168 150 186 152 196 158 C206 146 216
                    148 222 156 C232 146 244 148 250 158 C262 150 272 154 278 164 C306 172 340 192 376 196 C346 214 306
                    212 276 206 C236 212 180 212 144 202 C108 202 40 204 36 188 L112 188 Z"/>
                <path d="M160 200 L150 214 H132 M256 202 L262 214 H244" stroke-width="13" fill="none"
                    stroke-linejoin="round"/>
                <circle cx="126" cy="162" r="4" fill="\(light)"/>
                """
            case .turtle:
                """
                <path d="M122 182 C124 128 168 102 218 104 C270 106 306 140 308 182 Z"/>
                <path d="M128 176 C110 178 96 170 92 152 C88 132 64 124 52 138 C42 152 54 168 74 172 C84 190 104 200 130
                    196 Z"/>
                <path d="M150 180 C146 196 140 206 134 216 H166 C174 206 178 194 180 180 Z M252 180 C254 194 256 206 260
                    216 H292 C292 204 290 192 288 180 Z"/>
                <path d="M304 178 L334 190 L302 192 Z"/>
                <path d="M136 160 C180 148 252 148 296 162 M176 156 L190 112 M218 150 V106 M258 154 L246 112"
                    stroke="\(light)" stroke-width="4" fill="none"/>
                <circle cx="66" cy="144" r="4" fill="\(light)"/>
                """
            case .frog:
                """
                <path d="M92 148 C94 132 108 124 120 124 C122 106 152 104 158 122 C194 122 248 146 274 192 C280 204 268
                    212 252 210 C216 206 178 206 150 198 C114 190 90 172 92 148 Z"/>
                <path d="M150 186 C148 198 140 206 134 214 M134 214 H108 M134 214 L114 208 M176 196 C178 204 176 210 172
                    214 H148" stroke-width="11" fill="none" stroke-linejoin="round"/>
                <path d="M214 204 C196 172 222 140 258 150 C288 160 296 186 292 204 C298 208 306 210 314 214 H226 C222
                    212 218 208 214 204 Z"/>
                <path d="M224 196 C226 176 240 166 258 170" stroke="\(light)" stroke-width="4" fill="none"/>
                <circle cx="140" cy="122" r="9" fill="\(light)"/>
                <circle cx="138" cy="122" r="4"/>
                <path d="M96 154 C112 164 130 166 146 162" stroke="\(light)" stroke-width="3" fill="none"/>
                """
            case .crab:
                """
                <path d="M122 166 C130 124 164 112 200 112 C236 112 270 124 278 166 C266 200 240 206 200 206 C160 206
                    134 200 122 166 Z"/>
                <path d="M136 150 C112 142 100 128 98 112 M264 150 C288 142 300 128 302 112" stroke-width="11"
                    fill="none"/>
                <path d="M104 120 C72 118 60 84 82 62 C82 80 88 90 98 96 C102 86 110 78 122 76 C132 98 124 118 104 120
                    Z"/>
                <path d="M296 120 C328 118 340 84 318 62 C318 80 312 90 302 96 C298 86 290 78 278 76 C268 98 276 118 296
                    120 Z"/>
                <path d="M136 182 C112 178 98 186 88 206 M146 194 C126 196 116 204 110 218 M264 182 C288 178 302 186 312
                    206 M254 194 C274 196 284 204 290 218" stroke-width="9" fill="none"/>
                <path d="M182 116 V98 M218 116 V98" stroke-width="6"/>
                <circle cx="182" cy="94" r="8"/>
                <circle cx="218" cy="94" r="8"/>
                """
            case .beetle:
                """
                <path d="M178 134 C206 110 268 112 292 148 C300 172 284 194 250 200 C218 204 190 196 178 186 Z"/>
                <path d="M138 144 C148 128 166 126 176 136 V184 C160 192 142 184 136 168 Z"/>
                <path d="M140 148 C116 142 108 122 86 112 C62 108 52 124 62 138 C68 128 78 126 86 130 C88 138 84 146 78
                    150 C98 152 116 162 138 164 Z"/>
                <path d="M156 184 L136 198 L126 216 M186 192 L180 206 L184 218 M222 200 L236 208 L242 218 M256 196 L278
                    202 L290 216" stroke-width="7" fill="none" stroke-linejoin="round"/>
                <path d="M186 156 C220 146 260 150 288 164" stroke="\(light)" stroke-width="4" fill="none"/>
                """
            case .bee:
                """
                <path d="M120 152 C122 130 150 122 166 138 C190 118 250 122 282 164 C258 200 196 206 166 180 C148 190
                    122 178 120 152 Z"/>
                <path d="M176 132 C164 92 190 58 234 54 C248 86 226 122 196 138 Z" fill-opacity="0.5"/>
                <path d="M198 132 C206 98 240 76 284 84 C282 116 250 138 216 140 Z" fill-opacity="0.5"/>
                <path d="M206 134 C218 152 218 176 208 190 M232 138 C242 154 242 174 234 188 M256 148 C262 158 262 170
                    258 178" stroke="\(light)" stroke-width="7" fill="none"/>
                <path d="M130 136 C122 120 108 112 94 114 M138 130 C134 114 124 104 110 100" stroke-width="4"
                    fill="none"/>
                <path d="M160 184 C156 198 146 206 138 210 M184 192 C184 204 178 212 170 218" stroke-width="5"
                    fill="none"/>
                <circle cx="136" cy="150" r="6" fill="\(light)"/>
                """
            case .locust:
                """
                <path d="M88 148 C92 128 118 124 134 136 C190 132 262 148 332 178 C284 190 214 192 152 184 C118 184 86
                    172 88 148 Z"/>
                <path d="M204 176 C228 140 250 108 268 96 C280 128 296 172 312 214 H330" stroke-width="9" fill="none"
                    stroke-linejoin="round"/>
                <path d="M132 178 L118 196 L122 216 M160 184 L156 200 L166 216" stroke-width="6" fill="none"
                    stroke-linejoin="round"/>
                <path d="M100 136 C92 112 72 96 50 92 M110 132 C108 108 94 88 76 78" stroke-width="4" fill="none"/>
                <circle cx="106" cy="144" r="6" fill="\(light)"/>
                <path d="M146 148 C200 150 260 160 306 176" stroke="\(light)" stroke-width="4" fill="none"/>
                """
            case .spider:
                """
                <path d="M186 152 C190 116 232 100 266 116 C296 132 298 172 270 190 C238 206 192 192 186 152 Z"/>
                <path d="M132 164 C136 146 162 138 184 148 V178 C164 190 136 184 132 164 Z"/>
                <path d="M182 150 C186 106 214 76 252 66 C280 62 304 84 314 112 M172 148 C166 98 186 58 214 42 M152 148
                    C142 104 120 76 92 74 C78 78 68 98 62 122 M138 156 C118 126 96 118 72 128 C56 138 46 158 42 178 M180
                    178 C202 204 234 204 262 218 M168 184 C172 200 182 208 190 218 M150 184 C138 198 128 206 120 218
                    M138 174 C112 180 92 196 80 218" stroke-width="8" fill="none"/>
                <circle cx="146" cy="160" r="4" fill="\(light)"/>
                <circle cx="158" cy="156" r="4" fill="\(light)"/>
                """
            case .scorpion:
                """
                <path d="M132 172 C150 156 206 154 238 168 C246 180 240 196 226 200 C196 206 154 204 132 190 Z"/>
                <path d="M232 180 C280 184 312 162 310 124 C308 94 278 76 248 86" stroke-width="17" fill="none"/>
                <path d="M256 74 C240 72 226 84 222 104 C236 100 250 100 260 98 Z"/>
                <path d="M138 176 C116 172 108 156 104 140 M140 190 C116 194 100 186 90 172" stroke-width="9"
                    fill="none"/>
                <path d="M108 146 C84 146 68 124 78 100 C86 108 92 114 98 116 C100 108 106 102 116 98 C126 118 124 138
                    108 146 Z M98 182 C72 186 50 170 50 146 C60 150 68 154 76 154 C76 146 80 140 88 134 C102 148 108 168
                    98 182 Z"/>
                <path d="M160 198 L148 216 M182 202 L178 218 M204 202 L210 218 M222 198 L240 216" stroke-width="7"
                    fill="none"/>
                """
            }
        }
    }
}
