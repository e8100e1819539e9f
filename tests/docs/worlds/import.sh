# world: empty
mkdir -p ../vault/.obsidian ../vault/diary ../wiki ../texts
printf 'Fired the kiln today.\n' > ../vault/diary/2026-03-01.md
printf 'See [[Kiln]].\n' > ../wiki/start.md
printf 'The kiln is in the shed.\n\nThe wheel is in the studio.\n' | tee diary.txt > ../texts/one.txt
printf 'From: Irma <irma@example.org>\nTo: Paul <paul@example.org>\nMessage-ID: <1@example.org>\nDate: Sat, 1 Mar 2025 10:00:00 +0100\nSubject: The kiln\n\nIt is in the shed.\n' > message.eml
