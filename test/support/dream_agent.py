"""A program that speaks Dream.OS with nothing of Signalbox: the standard library of Python alone.

    dream_agent.py send ROOT NAME COUNT     keeps the lock, and puts COUNT messages into mailbox 1
    dream_agent.py careless ROOT            reads mailbox 1, waits, writes its old copy back, until its input ends
    dream_agent.py agent ROOT NAME          takes one file from its inbox, answers by its outbox, archives the file
    dream_agent.py bridge ROOT              answers one prompt
"""
import json
import os
import select
import sys
import time
import uuid


def mailbox_of(root):
    return os.path.join(root, "_agent_coordination", "shared_mailboxes", "mailbox_1.json")


def write(path, value):
    temporary = "%s.%d.tmp" % (path, os.getpid())
    with open(temporary, "w") as file:
        json.dump(value, file, indent=2)
    os.replace(temporary, path)


def now():
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


class Lock:
    def __init__(self, path):
        self.path = path + ".lock"

    def __enter__(self):
        while True:
            try:
                os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
                return
            except FileExistsError:
                time.sleep(0.002)

    def __exit__(self, *_):
        os.unlink(self.path)


def send(root, name, count):
    path = mailbox_of(root)
    for n in range(int(count)):
        message = {
            "message_id": str(uuid.uuid4()),
            "sender_agent_id": name,
            "timestamp_dispatched": now(),
            "command": "count",
            "params": {"n": n},
        }
        with Lock(path):
            with open(path) as file:
                mailbox = json.load(file)
            mailbox["messages"].append(message)
            write(path, mailbox)
        print(message["message_id"], flush=True)
        time.sleep(0.01)


def careless(root):
    path = mailbox_of(root)
    print("ready", flush=True)
    while True:
        with open(path) as file:
            mailbox = json.load(file)
        ready, _, _ = select.select([sys.stdin], [], [], 0.02)
        if ready:
            return
        write(path, mailbox)


def agent(root, name):
    home = os.path.join(root, "runtime", name)
    inbox = os.path.join(home, "inbox")
    while True:
        names = sorted(n for n in os.listdir(inbox) if n.endswith(".json")) if os.path.isdir(inbox) else []
        if names:
            break
        time.sleep(0.02)
    source = os.path.join(inbox, names[0])
    with open(source) as file:
        task = json.load(file)
    outbox = os.path.join(home, "outbox")
    archive = os.path.join(home, "archive", "inbox")
    for folder in (outbox, archive):
        os.makedirs(folder, exist_ok=True)
    os.rename(source, os.path.join(archive, names[0]))
    plan = task["data"]["task_id"]
    results = [
        {
            "task_id": "py-%d" % n,
            "action": "RUN",
            "params": {},
            "target_agent": name,
            "status": "PENDING",
            "priority": n,
            "depends_on": [] if n == 1 else ["py-1"],
        }
        for n in (1, 2)
    ]
    answer = {
        "type": "TASK_COMPLETED",
        "source_id": name,
        "target_id": task["source_id"],
        "data": {"correlation_id": plan, "task_id": plan, "results": results},
    }
    write(os.path.join(outbox, "msg_answer.json"), answer)
    print("answered", flush=True)


def bridge(root):
    prompt = os.path.join(root, "temp", "cursor_input.txt")
    print("ready", flush=True)
    while not os.path.exists(prompt):
        time.sleep(0.02)
    with open(prompt) as file:
        text = file.read()
    write(os.path.join(root, "temp", "cursor_output.json"), {"answer": text.upper()})


globals()[sys.argv[1]](*sys.argv[2:])
