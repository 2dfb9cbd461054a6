"""The next release, for a test of deploys: today's code with one migration more for each app."""
