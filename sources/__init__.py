"""Knowledge sources behind the port `Source`, and ingestion."""
