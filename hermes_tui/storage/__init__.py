"""The ledger on disk: one SQLite file that several processes share."""
