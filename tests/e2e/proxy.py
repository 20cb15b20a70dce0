# SPDX-License-Identifier: MIT
"""A network that fails: a TCP port that leads to a unix socket, until it is cut."""
import selectors
import socket
import threading
import time


class Proxy:
    def __init__(self, target):
        """`target`: the path of a unix socket. Connections come to 127.0.0.1, port `port`."""
        self.target = str(target)
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port = self.listener.getsockname()[1]
        self.accepted = 0
        self._partner = {}  # both directions
        self._cut = False
        self._over = False
        self._lock = threading.Lock()
        self._selector = selectors.DefaultSelector()
        self._selector.register(self.listener, selectors.EVENT_READ)
        self._thread = threading.Thread(target=self._forward, daemon=True)
        self._thread.start()

    def cut(self):
        """Ends all connections, and each new one at once."""
        self._cut = True
        with self._lock:
            for end in list(self._partner):
                self._close(end)

    def mend(self):
        self._cut = False

    def end(self):
        self.cut()
        self._over = True
        self._thread.join()
        self.listener.close()

    def _close(self, end):
        for one in (end, self._partner.get(end)):
            if one is not None and one in self._partner:
                del self._partner[one]
                self._selector.unregister(one)
                one.close()

    def _accept(self):
        client, _ = self.listener.accept()
        self.accepted += 1
        server = socket.socket(socket.AF_UNIX)
        try:
            if self._cut:
                raise ConnectionError
            server.connect(self.target)
        except OSError:
            client.close()
            server.close()
            return
        for end, other in ((client, server), (server, client)):
            self._partner[end] = other
            self._selector.register(end, selectors.EVENT_READ)

    def _forward(self):
        while not self._over:
            for key, _ in self._selector.select(timeout=0.1):
                with self._lock:
                    if key.fileobj is self.listener:
                        self._accept()
                        continue
                    other = self._partner.get(key.fileobj)
                    if other is None:
                        continue  # closed meanwhile
                    try:
                        data = key.fileobj.recv(65536)
                        if data:
                            other.sendall(data)
                        else:
                            self._close(key.fileobj)
                    except OSError:
                        self._close(key.fileobj)
            time.sleep(0)
