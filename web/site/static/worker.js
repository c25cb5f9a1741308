// The oracle in a worker. Messages in: {id, name, question} asks (answers.js), {id} stops. Messages
// out: {id, event} for each event, then {id, done: true} or {id, error}.
import * as answers from "./answers.js";
import { Book } from "./book.js";
import { search } from "./search.js";

// The name of the file contains its checksum, so that the browser's cache needs no validation.
const BOOK = new URL("../{{book}}", import.meta.url);
const running = new Set();
let loading = null;

async function loadBook() {
  const response = await fetch(BOOK, { cache: "force-cache" });
  if (!response.ok) throw new Error(`the book cannot be loaded: the server answered ${response.status}`);
  search.book = new Book(await response.arrayBuffer());
}

// Resolves when the messages that have arrived are handled.
const others = new MessageChannel();
const waiting = [];
others.port1.onmessage = () => waiting.shift()();
const turn = () => new Promise((resolve) => { waiting.push(resolve); others.port2.postMessage(null); });

async function answer(id, name, question) {
  running.add(id);
  try {
    loading ??= loadBook();
    await loading.catch((error) => { loading = null; throw error; });
    for (const event of answers[name](question)) {
      postMessage({ id, event });
      await turn();
      if (!running.has(id)) return;
    }
    postMessage({ id, done: true });
  } catch (error) {
    postMessage({ id, error: error.message });
  } finally {
    running.delete(id);
  }
}

onmessage = ({ data: { id, name, question } }) => {
  if (name) answer(id, name, question);
  else running.delete(id);
};
