// A client of the live analysis, which shows each value as it arrives.
import { lines, path } from "/static/dom.js";
import { WORDS } from "/static/position.js";

// One analysis at a time: a new one cancels the previous one, here and on the server.
export class Oracle {
  constructor(onChange) {
    this.onChange = onChange;
    this.abort = null;
    this.reset();
  }

  reset() {
    // by move: {value, distance}
    this.values = {};
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
    const notify = () => {
      // at most once per frame
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(() => { waiting = false; if (this.abort === abort) this.onChange(); });
    };
    try {
      const where = path("/api/analyse/live", { position: position.toText() });
      await lines(where, (event) => { this.take(position, event); notify(); }, { signal: abort.signal });
    } catch (error) {
      if (error.name === "AbortError" || this.abort !== abort) return;
      this.problem = error.message;
    }
    if (this.abort !== abort) return;
    this.busy = false;
    this.onChange();
  }

  take(position, event) {
    if ("move" in event) {
      const move = position.readMove(event.move);
      this.values[move] = { ...this.values[move], ...event };
      return;
    }
    if ("value" in event) [this.value, this.only] = [event.value, event.only];
    if ("distance" in event) this.distance = event.distance;
    if ("line" in event) this.line = event.line;
    if ("nodes" in event) this.nodes = event.nodes;
    if (event.done) [this.done, this.seconds] = [true, event.seconds];
  }

  // The moves that keep the value; none before the value has arrived.
  best() {
    if (this.value === undefined) return [];
    return Object.keys(this.values).map(Number).filter((move) => this.values[move].value === this.value);
  }

  sentence(position) {
    if (this.value === undefined) return "";
    const who = position.giving ? "the player who gives" : "the player who places";
    const far = this.distance ? ` in ${this.distance}` : "";
    return `${WORDS[this.value]}${far} for ${who}`;
  }
}
