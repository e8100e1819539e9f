# world: empty
voice remember "Ada Lund works at Kiln Co in Porto." --at 2026-03-01
voice remember "Ada Lund planned the move of Kiln Co to the shed." --at 2026-03-02
voice remember "The move takes two days." --at 2026-03-02
printf '\n[organise]\nsim_thresh = 0.1\n' >> ../memory/voice.toml
