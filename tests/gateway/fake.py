"""A Hermes that does what a real one does not on demand: a program of its own, told by its argument and by prompts."""

import json
import subprocess
import sys
import time
from typing import Any

SECRET = "sk-made-up-secret-0123456789"
HUGE = 50 << 20


def say(**frame: Any) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **frame}) + "\n")
    sys.stdout.flush()


def tell(kind: str, **payload: Any) -> None:
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


def play(prompt: str) -> None:
    tell("message.start")
    match prompt.split(maxsplit=1)[0]:
        case "garbage":
            garbage()
            reply("It is all right.")
        case "die":
            tell("message.delta", text="I am about to")
            sys.stderr.write(f"Traceback (most recent call last):\n  ...\nKeyError: \x1b[31m{SECRET}\n\n")
            sys.exit(3)
        case "hold":
            tell("message.delta", text="So far ")
        case "escape":
            reply(f"a \x1b]0;title\x07 key {SECRET} and \u202e more")
        case "sudo":
            say(id="srq-1", method="sudo", params={"session_id": "live", "command": "make install"})
        case "window":
            say(id="srq-2", method="window.read", params={"session_id": "live"})
        case "clarify":
            questions = [
                {"qid": "q0", "question": "Which \x1b[2J colour?", "choices": ["red", "blue"]},
                {"qid": "q1", "question": "Why?", "choices": None},
            ]
            say(id="srq-3", method="clarify", params={"session_id": "live", "questions": questions})
        case "approve":
            asked = {
                "session_id": "live",
                "command": prompt.removeprefix("approve "),
                "description": "recursive delete",
            }
            say(id="srq-4", method="approval", params=asked)
        case "old-secret":
            tell("sudo.request", request_id="r1")
        case "broken":
            tell("message.complete", text="Error: no route", status="error")
            tell("session.info", running=False)
        case _:
            tell("tool.start", tool_id="1", name="terminal", context="ls -la")
            tell("tool.complete", tool_id="1", name="terminal")
            reply(f"You said {prompt}.")


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
        elif method == "prompt.submit" and params["text"].startswith("silence"):
            continue
        else:
            known = {"session_id": "live", "stored_session_id": "stored", "session_key": params.get("session_id")}
            say(id=number, result={**known, "method": method})
        if method == "prompt.submit" and not params["text"].startswith("silence"):
            play(params["text"])
        if method == "session.interrupt":
            tell("message.complete", text="So far", status="interrupted")
            tell("session.info", running=False)
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
