// The server of the static site: requests of the pages are answered by a worker and by files that
// were written when the site was made. The server's own module of this name sends them by HTTP.
const REFUSED = 400, NOT_FOUND = 404;
let worker = null, last = 0;
// by number: {take, fail, finish} of a question
const asked = new Map();

function start() {
  worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  worker.onmessage = ({ data: { id, event, error } }) => {
    const one = asked.get(id);
    if (event) one?.take(event);
    else if (error) one?.fail(new Error(error));
    else one?.finish();
    if (!event) asked.delete(id);
  };
  worker.onerror = () => {
    for (const one of asked.values()) one.fail(new Error("the oracle does not run in this browser"));
    asked.clear();
    worker = null;
  };
}

// Asks the worker; calls take(event) with each event. Aborting stops the work.
function ask(name, question, take, signal) {
  if (!worker) start();
  const id = ++last;
  return new Promise((finish, fail) => {
    signal?.addEventListener("abort", () => {
      asked.delete(id);
      worker?.postMessage({ id });
      fail(signal.reason);
    });
    asked.set(id, { take, fail, finish });
    worker.postMessage({ id, name, question });
  });
}

// The last event of an answer.
export async function lastOf(name, question, signal) {
  let answer;
  await ask(name, question, (event) => { answer = event; }, signal);
  return answer;
}

const files = {};
async function file(name) {
  files[name] ??= fetch(new URL(`../data/${name}.json`, import.meta.url)).then((response) => response.json());
  return files[name].catch((error) => { delete files[name]; throw error; });
}

class Refusal extends Error {
  constructor(sentence, status = REFUSED) {
    super(sentence);
    this.status = status;
  }
}

async function player({ name }) {
  const { pages } = await file("players"), found = Object.keys(pages).find((one) => one.toLowerCase() === name.toLowerCase());
  if (!found) throw new Refusal(`unknown player '${name}': give one of ${Object.keys(pages).join(", ")}`, NOT_FOUND);
  return pages[found];
}

async function card({ pieces, number, size }) {
  const { cards, strategies } = await file(`cards-${pieces}`), made = cards[number - 1];
  if (!made) throw new Refusal(`there is no card ${number} of ${pieces} pieces`, NOT_FOUND);
  return { ...made, ...strategies[size], preferred: made.preferred[size] };
}

const whole = (name) => (question, signal) => lastOf(name, question, signal);
const GET = {
  "/api/turns": whole("turns"), "/api/decide": whole("decide"),
  "/api/players": () => file("players"), "/api/player": player, "/api/league": () => file("league"),
  "/api/puzzles": () => file("puzzles"), "/api/strategies": () => file("strategies"), "/api/card": card,
  "/api/runs": () => ({ runs: [] }),
};
const LINES = { "/api/analyse/live": "analyse", "/api/review": "review" };

// An answer of lines of JSON, one for each event, once the first one is there.
function stream(name, question, signal) {
  return new Promise((resolve, reject) => {
    const encoder = new TextEncoder();
    let sink;
    const answer = new Response(new ReadableStream({ start: (controller) => { sink = controller; } }));
    const take = (event) => {
      resolve(answer);
      sink.enqueue(encoder.encode(`${JSON.stringify(event)}\n`));
    };
    ask(name, question, take, signal).then(() => sink.close(), (error) => { reject(error); sink.error(error); });
  });
}

// As fetch() of the server: a Response, also for a refusal.
export async function send(where, { signal, body } = {}) {
  const [path, query] = where.split(/\?(.*)/s), options = Object.fromEntries(new URLSearchParams(query));
  try {
    if (path in LINES) return await stream(LINES[path], body === undefined ? options : { game: body }, signal);
    if (!(path in GET)) throw new Refusal(`${path} needs the server`, NOT_FOUND);
    return Response.json(await GET[path](options, signal));
  } catch (error) {
    if (error.name === "AbortError") throw error;
    return Response.json({ error: error.message }, { status: error.status ?? REFUSED });
  }
}
