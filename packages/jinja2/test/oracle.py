"""Renders templates with Jinja2 itself, as an oracle for our own interpreter.

Reads one JSON object a line, {"templates": {name: text}, "name": …, "data": JSON text}, and answers one a line:
{"text": …}, or {"error": {"kind", "message", "template", "line"}}. Templates that are left out are those of the line before. Strict undefined, no escaping, no extensions; everything
else is as Jinja2 has it by itself.
"""

import json
import sys
import warnings

from jinja2 import Environment, FunctionLoader, StrictUndefined, TemplateSyntaxError


def place_of(error, names):
    if isinstance(error, TemplateSyntaxError):
        return error.name, error.lineno
    place = (None, None)
    trace = error.__traceback__
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if name in names:
            place = (name, trace.tb_lineno)
        trace = trace.tb_next
    return place


def answer(templates, case):
    # The file name is the name of the template, so that a traceback tells where an error comes from.
    loader = FunctionLoader(lambda name: (templates[name], name, None) if name in templates else None)
    environment = Environment(undefined=StrictUndefined, loader=loader, autoescape=False)
    try:
        data = json.loads(case["data"])
        return {"text": environment.get_template(case["name"]).render(data)}
    except RecursionError:
        return {"error": {"kind": "RecursionError", "message": "", "template": None, "line": None}}
    except Exception as error:
        template, line = place_of(error, templates)
        message = error.message if isinstance(error, TemplateSyntaxError) else str(error)
        return {"error": {"kind": type(error).__name__, "message": message, "template": template, "line": line}}


warnings.simplefilter("ignore")
known = {}
for line in sys.stdin:
    case = json.loads(line)
    known = case.get("templates", known)
    print(json.dumps(answer(known, case)), flush=True)
