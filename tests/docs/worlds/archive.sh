# world: notes
printf '\n[archive]\nretention_days = 0\n' >> ../memory/voice.toml
voice remember "The spare shelves are in the attic." --at 2026-03-01
