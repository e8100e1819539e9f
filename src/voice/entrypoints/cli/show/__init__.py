"""How answers, rows, reports and conversations are shown in a terminal."""
