"""The program's live objects, threads and graphs, read without running its code."""
