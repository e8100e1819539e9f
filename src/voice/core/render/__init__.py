"""Values to the forms that leave the program: plain data of published schemas, text, Markdown."""
