"""``python -m core user``: the file of people who may log in with a password (``--auth FILE``)."""

from __future__ import annotations

import argparse
import getpass
import sys
from pathlib import Path
from typing import Any

from core.accounts.password_file import Account, AccountError, PasswordFile, hash_plain_lines
from core.accounts.passwords import PasswordError, checked_password
from core.commands.terminal.errors import CommandError
from core.runtime.message import message_of


def add_parser(subparsers: Any) -> None:
    """Add ``user`` with its actions."""
    parser = subparsers.add_parser(
        "user",
        help="add people who may log in, change their passwords",
        description="Edit the file of accounts for --auth. An app that runs takes changes over. Prints one "
        "JSON object. Passwords are asked for, or read from a line of the standard input.",
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="the file of accounts")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    actions.add_parser("list", help="everybody in the file")
    put = actions.add_parser("put", help="add a person, or give one another password; makes the file if new")
    put.add_argument("name", metavar="NAME", help="with which the person logs in")
    put.add_argument(
        "--operator",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="looks after the accounts of others: resets passwords, ends sessions",
    )
    put.add_argument(
        "--one-time",
        action="store_true",
        help="make up a password and print it; the person must change it at the first login",
    )
    operator = actions.add_parser("operator", help="make a person an operator, or no longer")
    operator.add_argument("name", metavar="NAME", help="of the person")
    operator.add_argument("--remove", action="store_true", help="no longer an operator")
    remove = actions.add_parser("remove", help="remove a person, who is logged out")
    remove.add_argument("name", metavar="NAME", help="of the person")
    actions.add_parser("hash", help="replace plain passwords (NAME:PASSWORD lines) by their hashes")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Do the action."""
    try:
        if args.action == "hash":
            return {"hashed": hash_plain_lines(args.file)}
        file = PasswordFile(args.file, create=args.action == "put")
        return _ACTIONS[args.action](file, args)
    except (AccountError, PasswordError, OSError) as error:
        raise CommandError(str(message_of(error))) from error


def _list(file: PasswordFile, args: argparse.Namespace) -> dict[str, Any]:
    return {"users": [_shown(account) for account in file.all()]}


def _put(file: PasswordFile, args: argparse.Namespace) -> dict[str, Any]:
    if args.one_time:
        password = file.put_one_time(args.name, operator=args.operator)
        return {"name": args.name, "one_time_password": password}
    return _shown(file.put(args.name, _asked(args.name), operator=args.operator))


def _operator(file: PasswordFile, args: argparse.Namespace) -> dict[str, Any]:
    return _shown(file.set_operator(args.name, not args.remove))


def _remove(file: PasswordFile, args: argparse.Namespace) -> dict[str, Any]:
    file.remove(args.name)
    return {"removed": args.name}


_ACTIONS = {"list": _list, "put": _put, "operator": _operator, "remove": _remove}


def _asked(name: str) -> str:
    """The password, twice from a person, once from a program."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    password = checked_password(getpass.getpass(f"Password for {name}: "), name)
    if getpass.getpass("The same again: ") != password:
        raise CommandError("the two passwords differ; nothing was changed")
    return password


def _shown(account: Account) -> dict[str, Any]:
    return {"name": account.name, "operator": account.operator, "one_time_password": account.one_time}
