// The oracle, asked while a person looks on: every value as soon as it is known.
import { lines, path } from "/static/dom.js";
import { WORDS } from "/static/position.js";

// One question at a time: the next one ends the last one, here and on the server.
export class Oracle {
  constructor(onNews) {
    this.onNews = onNews;
    this.abort = null;
    this.reset();
  }

  reset() {
    // by move: {value, distance}
    this.known = {};
    this.value = this.distance = this.only = this.line = undefined;
    this.nodes = 0;
    this.seconds = undefined;
    this.busy = this.done = false;
    this.problem = "";
  }

  stop() {
    this.abort?.abort();
    this.abort = null;
    this.busy = false;
  }

  async ask(position) {
    this.stop();
    this.reset();
    this.busy = true;
    const abort = this.abort = new AbortController();
    let waiting = false;
    const tell = () => {
      // once a frame is often enough
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(() => { waiting = false; if (this.abort === abort) this.onNews(); });
    };
    try {
      const where = path("/api/analyse/live", { position: position.toText() });
      await lines(where, (event) => { this.take(position, event); tell(); }, { signal: abort.signal });
    } catch (error) {
      if (error.name === "AbortError" || this.abort !== abort) return;
      this.problem = error.message;
    }
    if (this.abort !== abort) return;
    this.busy = false;
    this.onNews();
  }

  take(position, event) {
    if ("move" in event) {
      const move = position.readMove(event.move);
      this.known[move] = { ...this.known[move], ...event };
      return;
    }
    if ("value" in event) [this.value, this.only] = [event.value, event.only];
    if ("distance" in event) this.distance = event.distance;
    if ("line" in event) this.line = event.line;
    if ("nodes" in event) this.nodes = event.nodes;
    if (event.done) [this.done, this.seconds] = [true, event.seconds];
  }

  // The moves that keep the value, once it is known.
  best() {
    if (this.value === undefined) return [];
    return Object.keys(this.known).map(Number).filter((move) => this.known[move].value === this.value);
  }

  sentence(position) {
    if (this.value === undefined) return "";
    const who = position.giving ? "whoever gives" : "whoever places";
    const far = this.distance ? ` in ${this.distance}` : "";
    return `${WORDS[this.value]}${far} for ${who}`;
  }
}
