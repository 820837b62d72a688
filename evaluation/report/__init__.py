"""What an evaluation says: summary.json, report.md, report.html."""
