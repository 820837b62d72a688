"""The chapters of a report, each made of the collected results where they have its data."""
