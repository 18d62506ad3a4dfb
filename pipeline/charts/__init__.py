"""Charts for pages and papers: plain numbers in, SVG, PNG or PDF out, by one library."""
