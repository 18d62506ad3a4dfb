"""Help: the documents of docs/ as pages, and two sentences about each page of the site."""
