"""A chat model behind the HTTP interface of OpenAI, in this process: the client is the real one."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

Reply = Callable[[str, str], dict[str, Any] | None]
"""From the last message and the name of the tool to its arguments; `None` where it breaks down."""


@contextmanager
def chat_server(reply: Reply) -> Iterator[str]:
    """Serve a model until the end of the block; gives its base URL."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            name = asked["tools"][0]["function"]["name"]
            given = reply(asked["messages"][-1]["content"], name)
            if given is None:
                self._send(500, {"error": {"message": "out of order", "type": "server_error"}})
            else:
                self._send(200, _completion(asked["model"], name, given))

        def _send(self, status: int, value: dict[str, Any]) -> None:
            body = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Keep the output of the command under test its own."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()
        thread.join()


def _completion(model: str, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    call = {
        "id": "call-1",
        "type": "function",
        "function": {"name": tool, "arguments": json.dumps(arguments)},
    }
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    return {
        "id": "chat-1",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
    }
