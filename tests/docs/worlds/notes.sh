# A person's memory after some weeks: notes, some of them private, a graph of which a part waits for review, a pin.
voice remember "Moved the kiln to the shed." --at 2026-03-02 --tag studio
voice remember "The glaze on the kiln shelf is celadon." --at 2026-03-02 --tag studio
voice remember "The kiln runs at cone 10." --at 2026-03-05
voice remember "The old door code was 4471." --at 2026-03-06 --private
voice remember "The doctor prescribed iron tablets." --at 2026-03-06 --tag medical --private
voice remember "Anna Lund works at Clay Co in Porto." --at 2026-03-03
voice remember "Paul Adler joined Clay Co as a kiln builder." --at 2026-03-04
voice kg add entity "Anna Lund" --type person --alias Anna
voice kg add entity "Clay Co" --type organisation
voice kg add entity Anja --type person
voice kg add relation "Anna Lund" works_at "Clay Co"
voice kg add observation "Anna Lund lives in Lisbon." --about "Anna Lund"
mkdir -p notes ../notes && printf 'The bricks come on 12 March.\n' | tee notes/bricks.md > ../notes/bricks.md
