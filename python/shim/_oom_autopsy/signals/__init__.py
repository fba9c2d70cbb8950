"""The program's signals and threads, and ours."""
