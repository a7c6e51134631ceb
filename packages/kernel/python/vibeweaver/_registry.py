"""What there is, as JSON: signatures and docstrings of every public name. Help is made from this and from nothing else."""
import inspect
import json
import sys

import vibeweaver


def entries():
    return [entry(name, subject) for subject, names in vibeweaver._SUBJECTS.items() for name in names]


def entry(name, subject):
    value = getattr(vibeweaver, name)
    described = {"name": name, "subject": subject, "doc": inspect.getdoc(value), "methods": []}
    if not inspect.isclass(value):
        return dict(described, kind="function", signature=signature_of(name, value))
    if issubclass(value, Exception):
        return dict(described, kind="exception", signature="%s(%s)" % (name, value.__bases__[0].__name__))
    methods = [
        {"signature": signature_of(method, member), "doc": inspect.getdoc(member)}
        for method, member in vars(value).items()
        if inspect.isfunction(member) and not method.startswith("_")
    ]
    return dict(described, kind="class", signature=name, methods=methods)


def signature_of(name, function):
    parameters = list(inspect.signature(function).parameters.values())
    if parameters and parameters[0].name == "self":
        parameters = parameters[1:]
    awaited = "await " if inspect.iscoroutinefunction(function) else ""
    return "%s%s%s" % (awaited, name, inspect.Signature(parameters))


def main():
    json.dump({"about": inspect.getdoc(vibeweaver), "entries": entries()}, sys.stdout)
