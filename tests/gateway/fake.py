"""A Hermes that does what a real one does not on demand: a program of its own, told by its argument and by prompts."""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

SECRET = "sk-made-up-secret-0123456789"
HUGE = 50 << 20


class State:
    """What it knows of itself: whether a turn runs, and what it does once and no more."""

    at_work = False
    still_refuses = still_puts_off = True


def say(**frame: Any) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **frame}) + "\n")
    sys.stdout.flush()


def tell(kind: str, **payload: Any) -> None:
    if kind == "session.info":
        State.at_work = False
    say(method="event", params={"type": kind, "session_id": "live", "payload": payload})


def reply(text: str) -> None:
    for word in text.split():
        tell("message.delta", text=f"{word} ")
    tell("message.complete", text=text, status="complete")
    tell("session.info", running=False)


def garbage() -> None:
    sys.stdout.write("no JSON\n[1, 2]\n" + "[" * 100_000 + "\n\n" + '{"id": 7}\n{"method": 3, "params": "x"}\n')
    sys.stdout.write('"' + "x" * HUGE + '"\n')
    tell("a.kind.of.tomorrow", text=["x"])
    tell("message.delta", text={"no": "text"})
    say(method="event", params={"type": None, "session_id": 3, "payload": [1]})
    say(id=99, result="not asked for")
    reply("It is all right.")


def clarify() -> None:
    questions = [
        {"qid": "q0", "question": "Which \x1b[2J colour?", "choices": ["red", "blue"]},
        {"qid": "q1", "question": "Why?", "choices": None},
    ]
    say(id="srq-3", method="clarify", params={"session_id": "live", "questions": questions})


def approve(command: str) -> None:
    asked = {"session_id": "live", "command": command, "description": "recursive delete"}
    say(id="srq-4", method="approval", params=asked)


def burst() -> None:
    for _ in range(2_000):
        tell("message.delta", text="word ")
    reply("Done.")


def orphan() -> None:
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    tell("message.delta", text="It runs.")
    time.sleep(0.2)
    sys.exit(1)


def estranged() -> None:
    subprocess.Popen(
        [sys.executable, "-c", "import time; time.sleep(25)"], start_new_session=True
    )  # longer than a test waits
    sys.exit(1)


def work() -> None:
    """Run a tool as a real one does, in a session of its own, with a child."""
    code = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import time; time.sleep(600)'])"
    subprocess.Popen([sys.executable, "-c", code], start_new_session=True)
    tell("message.delta", text="It works.")


def die() -> None:
    tell("message.delta", text="I am about to")
    sys.stderr.write(f"Traceback (most recent call last):\n  ...\nKeyError: \x1b[31m{SECRET}\n\n")
    sys.exit(3)


def broken() -> None:
    tell("message.complete", text="Error: no route", status="error")
    tell("session.info", running=False)


def switched() -> None:
    """Tell of a fault that ends nothing, with a question open."""
    approve("ls")
    tell("error", message="Could not switch to configured model x")
    tell("message.delta", text="It goes on.")


def unsaid() -> None:
    State.at_work = False
    tell("message.complete", text="So far", status="complete")


PLAYS: dict[str, Callable[[], None]] = {
    "garbage": garbage,
    "burst": burst,
    "orphan": orphan,
    "estranged": estranged,
    "die": die,
    "broken": broken,
    "clarify": clarify,
    "work": work,
    "switched": switched,
    "unsaid": unsaid,
    "linger": lambda: tell("message.complete", text="So far", status="complete"),
    "late": lambda: tell("message.delta", text="I am at it."),
    "hold": lambda: tell("message.delta", text="So far "),
    "escape": lambda: reply(f"a \x1b]0;title\x07 key {SECRET} and \u202e more"),
    "sudo": lambda: say(id="srq-1", method="sudo", params={"session_id": "live", "command": "make install"}),
    "window": lambda: say(id="srq-2", method="window.read", params={"session_id": "live"}),
    "old-secret": lambda: tell("sudo.request", request_id="r1"),
}


def play(prompt: str) -> None:
    State.at_work = True
    tell("message.start")
    word, _, rest = prompt.partition(" ")
    if word == "approve":
        approve(rest)
    elif word in PLAYS:
        PLAYS[word]()
    else:
        tell("tool.start", tool_id="1", name="terminal", context="ls -la")
        tell("tool.complete", tool_id="1", name="terminal")
        reply(f"You said {prompt}.")


def interrupt(mode: str) -> None:
    """Stop a turn: tell of its end as it should be, twice at once, as a fault that nothing follows, or not at all."""
    State.at_work = False
    if mode == "failing":
        tell("error", message="agent init failed")
        tell("message.complete", text="It failed.", status="error", error="agent init failed")
    elif mode != "mum":
        tell("message.complete", text="So far", status="interrupted")
        for _ in range(2 if mode == "twice" else 1):
            tell("session.info", running=False)


def submit(number: str, prompt: str, mode: str) -> None:
    """Take a prompt, and play its turn; or give no answer, refuse it, or put it off for ever."""
    if prompt.startswith("silence"):
        return
    if prompt.startswith("refuse once") and State.still_refuses:
        State.still_refuses = False
        time.sleep(0.3 if mode == "slow" else 0)
        say(id=number, error={"code": 4009, "message": "a turn is running"})
        return
    if prompt.startswith("put off") and State.still_puts_off:  # a turn of its own runs, and then it forgets it
        State.still_puts_off = False
        say(id=number, result={"status": "queued"})
        tell("message.complete", text="The goal goes on.", status="complete")
        tell("session.info", running=False)
        return
    if not prompt.startswith("late"):
        say(id=number, result={"status": "streaming"})
    play(prompt)


def serve(mode: str) -> None:
    tell("gateway.ready")
    for line in sys.stdin:
        frame = json.loads(line)
        number, method, params = frame.get("id"), frame.get("method"), frame.get("params", {})
        if method is None:
            reply(f"Answered {json.dumps(frame.get('result', frame.get('error')), sort_keys=True)}")
        elif method == "session.title" and mode == "without-titles":
            say(id=number, error={"code": -32601, "message": "unknown method"})
        elif method == "session.create" and mode == "full":
            say(id=number, error={"code": 4090, "message": f"too many sessions \x1b[1m {SECRET}"})
        elif method == "prompt.submit":
            submit(number, params["text"], mode)
        elif method == "session.active_list":
            status = "working" if State.at_work else "idle"
            say(id=number, result={"sessions": [{"id": "live", "status": status}]})
        else:
            known = {"session_id": "live", "stored_session_id": "stored", "session_key": params.get("session_id")}
            say(id=number, result={**known, "method": method})
        if method == "session.interrupt":
            interrupt(mode)
        if method == "sudo.respond":
            reply(f"Answered {json.dumps(params, sort_keys=True)}")


if __name__ == "__main__":
    match sys.argv[1]:
        case "mute":
            sys.stdin.read()
        case "dead":
            sys.exit(f"ModuleNotFoundError: no tui_gateway, {SECRET}")
        case "stubborn":
            subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
            serve("stubborn")
            time.sleep(600)
        case mode:
            serve(mode)
