"""What every part asks of the system about files, and no part is about: locks between processes, whose a file is."""
