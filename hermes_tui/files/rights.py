"""Whose a file is that takes the place of another: it is never open to anybody who could not read that one."""

import os
import stat


def given_group(descriptor: int, like: os.stat_result) -> int:
    """Give a new file the group of another one; return the mode that keeps it from whoever could not read that."""
    mode = stat.S_IMODE(like.st_mode)
    try:
        os.fchown(descriptor, -1, like.st_gid)
    except PermissionError:  # not a group of ours: its rights would go to another one
        return mode & ~stat.S_IRWXG
    return mode
