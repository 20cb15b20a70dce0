// SPDX-License-Identifier: MIT
// Follows a study: server-sent events read with fetch, which can send a token; comes back after any break.

// Splits a stream of text into events {event, data}; keeps what is not complete yet.
export class EventSplitter {
  constructor() { this.rest = ""; }

  push(text) {
    this.rest += text;
    const events = [];
    for (let end = this.rest.indexOf("\n\n"); end >= 0; end = this.rest.indexOf("\n\n")) {
      const block = this.rest.slice(0, end);
      this.rest = this.rest.slice(end + 2);
      let event = "message";
      const data = [];
      for (const line of block.split("\n")) {
        if (line.startsWith("event:")) event = line.slice(6).trim();
        else if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
      }
      if (data.length > 0) events.push({ event, data: data.join("\n") });
    }
    return events;
  }
}

export class Live {
  // handlers: load() -> promise, change(message), importance(message), state(text, ok), askToken() -> promise of a token
  constructor(handlers, token) {
    this.handlers = handlers;
    this.token = token;
    this.version = null;
  }

  headers() { return this.token ? { Authorization: `Bearer ${this.token}` } : {}; }

  async get(path) {
    for (;;) {
      const response = await fetch(path, { headers: this.headers() });
      if (response.status === 401) {
        this.token = await this.handlers.askToken();
        continue;
      }
      if (!response.ok) throw new Error((await response.json().catch(() => ({}))).error ?? `status ${response.status}`);
      return response;
    }
  }

  // The whole study; remembers which version that is.
  async fetchPage() {
    const response = await this.get("/api/page");
    this.version = response.headers.get("X-Vbo-Version");
    return new Uint8Array(await response.arrayBuffer());
  }

  async run() {
    for (let pause = 500; ; pause = Math.min(5000, pause * 1.6)) {
      try {
        await this.handlers.load();
        await this.follow(() => { pause = 500; });
      } catch (error) {
        this.handlers.state(`no connection (${error.message}); trying again`, false);
      }
      await new Promise((resolve) => { setTimeout(resolve, pause); });
    }
  }

  async follow(onOpen) {
    const response = await this.get("/api/events");
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    const splitter = new EventSplitter();
    onOpen();
    for (;;) {
      const { value, done } = await reader.read();
      if (done) throw new Error("the server has stopped");
      for (const { event, data } of splitter.push(value)) {
        if (!this.take(event, JSON.parse(data))) return;  // something was missed: load everything again
      }
    }
  }

  // false when everything has to be loaded again: versions do not follow each other, or a change is too large.
  take(event, message) {
    if (event === "hello") {
      this.handlers.state("live", true);
      return this.version === `${message.instance} ${message.version}` || this.missed(message);
    }
    if (event === "change") {
      const [instance, version] = (this.version ?? " 0").split(" ");
      if (message.instance !== instance || message.version !== Number(version) + 1) {
        return message.instance === instance && message.version <= Number(version);
      }
      if (message.payload === undefined) return false;  // too much for an event
      this.version = `${message.instance} ${message.version}`;
      this.handlers.change(message);
    }
    if (event === "importance") this.handlers.importance(message);
    if (event === "problem") this.handlers.state(message.error ?? "live", message.error === null);
    return true;
  }

  // A greeting older than what we have is fine: the changes in between are known already.
  missed(message) {
    const [instance, version] = (this.version ?? " 0").split(" ");
    return message.instance === instance && message.version <= Number(version);
  }
}
