"""Charts for pages and papers, as SVG, PNG and PDF."""
