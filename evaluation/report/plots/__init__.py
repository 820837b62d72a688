"""The drawings of a report: values in, one SVG element out."""
