// A game against a player or between two people. The address of the page holds the game.
import { $, address, fill, get, make, speak } from "/static/dom.js";
import { Board, Pool, showHand } from "/static/board.js";
import { NONE, Position, acting, digit, movesText, readMoves } from "/static/position.js";
import { Oracle } from "/static/oracle.js";

const SEATS = ["first", "second"], PEOPLE = "people", OTHER = "other";
const RULES = "Place the piece that you are given, then give one. Four in a line that share height, colour, filling or shape win.";
const game = { opponent: "pro", you: "second", seed: 1, moves: [], minutes: "", resigned: "", begun: false };
const clock = { left: [0, 0], since: 0, timer: 0 };
let roster = { levels: [], players: [] };
let thinking = null;
let problem = "";
let byKey = false;
// The form of a new game is shown instead of the pool.
let choosing = true;

const board = new Board($("board"), act), pool = new Pool($("pool"), act);
const oracle = new Oracle(show);
const position = () => Position.after(game.moves);
const seatOfYou = () => SEATS.indexOf(game.you);
const isYours = (seat) => game.opponent === PEOPLE || seat === seatOfYou();
const levelOf = (spec) => roster.levels.find((one) => one.player === spec);
const nameOf = (seat) => (game.opponent === PEOPLE ? `Player ${seat + 1}`
  : seat === seatOfYou() ? "You" : levelOf(game.opponent)?.level ?? game.opponent);

function ended(now) {
  if (game.resigned) return { winner: 1 - SEATS.indexOf(game.resigned), how: "By resignation" };
  const late = clock.left.findIndex((left) => game.minutes && left <= 0);
  if (late >= 0) return { winner: 1 - late, how: "On time" };
  if (now.won) return { winner: (now.placed + 1) % 2 ? 0 : 1, how: "With a complete line" };
  return now.over ? { winner: null, how: "The board is full" } : null;
}

function save() {
  const { opponent, you, seed, minutes, resigned } = game;
  const values = { opponent, you, seed, minutes, resigned, game: movesText(game.moves).replaceAll(" ", "_") };
  history.replaceState(null, "", address.text(values));
}

function load() {
  const saved = address.read();
  game.begun = Boolean(saved.opponent);
  choosing = !game.begun;
  if (choosing) return;
  Object.assign(game, { opponent: saved.opponent, minutes: saved.minutes ?? "", resigned: saved.resigned ?? "" });
  game.you = saved.you === "first" ? "first" : "second";
  game.seed = Number(saved.seed) || 1;
  try {
    game.moves = legalPart(readMoves(saved.game ?? ""));
  } catch {
    game.moves = [];
  }
}

// The moves up to the first illegal one, since the address may have been typed.
function legalPart(moves) {
  let here = new Position(), count = 0;
  while (count < moves.length && here.legal.includes(moves[count])) here = here.play(moves[count++]);
  if (count < moves.length) problem = `move ${(count >> 1) + 1} of the game in the address is illegal: the game was cut there`;
  return moves.slice(0, count);
}

function begin(opponent, you, minutes) {
  stopThinking();
  const seed = crypto.getRandomValues(new Uint32Array(1))[0];
  Object.assign(game, { opponent, you, minutes, seed, moves: [], resigned: "", begun: true });
  choosing = false;
  startClock();
  next();
}

// A move of a person.
function act(move) {
  const now = position();
  if (!now.legal.includes(move) || ended(now) || !isYours(acting(now))) return;
  play(move);
}

function play(move) {
  tick();
  game.moves.push(move);
  next();
}

function next() {
  oracle.stop();
  oracle.reset();
  problem = "";
  save();
  show();
  const now = position(), end = ended(now);
  if (end) {
    clearInterval(clock.timer);
    speak($("what").textContent);
  } else if (!isYours(acting(now))) think(now);
  else if (byKey) lead(now);
}

// Move the keyboard focus to the board or pool, unless the user is busy elsewhere.
function lead(now) {
  if (document.activeElement.matches("body, .cell, .slot, #setup button")) (now.giving ? pool : board).focus();
}

async function think(now) {
  const asked = thinking = { since: Date.now(), abort: new AbortController() };
  const slow = setTimeout(show, 400);
  try {
    const question = { player: game.opponent, game: movesText(game.moves), seed: game.seed };
    const answer = await get("/api/decide", question, asked.abort.signal);
    if (thinking !== asked) return;
    thinking = null;
    announce(now, answer.move);
    play(now.readMove(answer.move));
  } catch (error) {
    if (thinking !== asked) return;
    thinking = null;
    problem = error.message;
    show();
  } finally {
    clearTimeout(slow);
  }
}

function announce(now, move) {
  const who = nameOf(acting(now));
  speak(now.giving ? `${who} gives you piece ${move}` : `${who} places ${digit(now.hand)} on ${move}`);
}

function stopThinking() {
  thinking?.abort.abort();
  thinking = null;
}

function undo() {
  stopThinking();
  game.resigned = "";
  let here;
  do {
    game.moves.pop();
    here = acting(position());
  } while (game.moves.length && !isYours(here));
  startClock(true);
  next();
}

// clock

function startClock(again = false) {
  clearInterval(clock.timer);
  $("clocks").hidden = !game.minutes;
  if (!game.minutes) return;
  if (!again || clock.left.some((left) => left <= 0)) clock.left = [60000, 60000].map((ms) => ms * Number(game.minutes));
  clock.since = performance.now();
  clock.timer = setInterval(() => { tick(); showClocks(); if (ended(position())) { stopThinking(); next(); } }, 200);
}

function tick() {
  if (!game.minutes) return;
  const now = performance.now(), here = position();
  if (!ended(here) && game.moves.length) clock.left[acting(here)] -= now - clock.since;
  clock.since = now;
}

function showClocks() {
  const here = acting(position());
  fill($("clocks"), ...clock.left.map((left, seat) => {
    const seconds = Math.max(0, Math.ceil(left / 1000));
    const text = `${nameOf(seat)} ${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
    return make("span", { class: seat === here ? "runs" : "" }, text);
  }));
}

// the display

function sentences(now, end) {
  const seat = acting(now), who = nameOf(seat);
  if (!game.begun) return ["Choose an opponent, then press Start", RULES];
  if (end) {
    if (end.winner === null) return ["A draw", `${end.how}.`];
    const you = game.opponent !== PEOPLE && end.winner === seatOfYou();
    return [you ? "You win!" : `${nameOf(end.winner)} wins`, `${end.how}. Review shows where the game was decided.`];
  }
  if (thinking) {
    const seconds = Math.floor((Date.now() - thinking.since) / 1000);
    return [`${who} is thinking`, seconds > 1 ? `${seconds} s; Undo cancels it` : ""];
  }
  if (!isYours(seat)) return [`${who} is to act`, ""];
  const subject = game.opponent === PEOPLE ? `${who}: ` : "Your turn: ";
  if (now.giving) return [`${subject}choose a piece for ${nameOf(1 - seat)}`, "Pick one from the pool."];
  const whose = game.opponent === PEOPLE ? "the" : "your";
  return [`${subject}place the piece in ${whose} hand`, "Pick a free cell. Four in a line that share anything win."];
}

function show() {
  const now = position(), end = ended(now), seat = acting(now);
  const yours = game.begun && !end && !thinking && isYours(seat);
  const open = yours ? now.legal : [], hints = Object.keys(oracle.values).length > 0;
  const marked = { values: hints ? oracle.values : {}, best: hints ? oracle.best() : [] };
  const last = game.moves.length ? game.moves[game.moves.length - (game.moves.length % 2 ? 2 : 1)] ?? NONE : NONE;
  board.show(now, { open: now.giving ? [] : open, last, ...(now.giving ? {} : marked) });
  pool.show(now, { open: now.giving ? open : [], ...(now.giving ? marked : {}) });
  showHand($("hand"), now);
  $("hand").hidden = !game.begun;
  document.body.classList.toggle("choosing", choosing);
  $("setup-card").hidden = !choosing;
  $("playing").hidden = choosing;
  $("back").hidden = !game.begun;
  const [what, more] = sentences(now, end);
  const hint = hints && oracle.value !== undefined ? `The oracle: ${oracle.sentence(now)}.` : "";
  $("what").textContent = what;
  $("what").classList.toggle("thinking", Boolean(thinking));
  $("more").textContent = hint || more;
  $("problem").textContent = problem || oracle.problem;
  $("hint").disabled = !yours;
  $("undo").disabled = !game.moves.some((_, i) => isYours(acting(Position.after(game.moves.slice(0, i)))));
  $("resign").disabled = !game.begun || Boolean(end) || !game.moves.length;
  $("review").href = `/review#${new URLSearchParams({ game: gameText() })}`;
  $("analyse").href = `/analyse#${new URLSearchParams({ position: now.toText() })}`;
  $("review").hidden = $("analyse").hidden = !game.moves.length;
  $("new").classList.toggle("main", Boolean(end));
  if (game.minutes) showClocks();
}

// The game with the names that this page shows; the review says "you win".
function gameText() {
  const name = (seat) => nameOf(seat).replace(/^You$/, "you");
  const player = game.opponent === PEOPLE ? "" : `opponent: ${game.opponent}\n`;
  return `first: ${name(0)}\nsecond: ${name(1)}\n${player}${movesText(game.moves)}`;
}

// the choice of the opponent

function level(value, name, about, elo = "") {
  const input = make("input", { type: "radio", name: "opponent", value, "data-about": about, onchange: choose });
  return make("label", {}, input, make("span", { class: "level" }, make("b", {}, name), make("span", { class: "elo small" }, elo)));
}

const eloText = (one) => (one.elo === undefined ? "" : `${one.elo > 0 ? "+" : ""}${one.elo} Elo`);

function showLevels() {
  fill($("levels"), ...roster.levels.map((one) => level(one.player, one.level, `${one.level} is the player ${one.player}: ${one.about}.`, eloText(one))),
    roster.players.length ? level(OTHER, "Another", "") : null, level(PEOPLE, "A person", "Two people at this screen."));
  fill($("player"), ...roster.players.map((one) => make("option", { value: one.name }, `${one.name} ${eloText(one)}`)));
  $("source").textContent = `${roster.source}.`;
  const isListed = game.opponent === PEOPLE || levelOf(game.opponent);
  // the static site has no other players
  const others = roster.players.length > 0;
  const chosen = isListed ? game.opponent : others ? OTHER : roster.levels.at(-1).player;
  document.querySelector(`input[name=opponent][value="${chosen}"]`).checked = true;
  if (!isListed && others) {
    // the longest name: another one may be the same player without options
    const names = roster.players.map((one) => one.name).filter((name) => `${game.opponent}:`.startsWith(`${name}:`));
    const name = names.sort((a, b) => b.length - a.length)[0] ?? "";
    $("player").value = name;
    showOptions(Object.fromEntries(game.opponent.slice(name.length + 1).split(",").map((part) => part.split(/=(.*)/s))));
  } else showOptions();
  document.querySelector(`input[name=you][value=${game.you}]`).checked = true;
  $("minutes").value = game.minutes;
  choose();
}

function choose() {
  const chosen = document.querySelector("input[name=opponent]:checked"), isOther = chosen.value === OTHER;
  const player = roster.players.find((one) => one.name === $("player").value);
  $("about").textContent = isOther ? player?.about.split("\n\n")[0] ?? "" : chosen.dataset.about;
  $("others").hidden = !isOther;
  $("settings").hidden = !isOther || !player?.options.length;
}

function showForm(shown) {
  choosing = shown;
  show();
  if (!byKey) return;
  if (shown) document.querySelector("input[name=opponent]:checked").focus();
  else $("new").focus();
}

function showOptions(values = {}) {
  const player = roster.players.find((one) => one.name === $("player").value);
  $("settings").open = Object.keys(values).some(Boolean);
  fill($("options"), ...(player?.options ?? []).map((option) => {
    const id = { name: `option-${option.name}`, title: option.help };
    const value = values[option.name] ?? "";
    const choices = option.kind === "bool" ? ["true", "false"] : option.choices;
    const field = choices
      ? make("select", id, make("option", { value: "" }, option.default), ...choices.map((one) => make("option", { value: one, selected: one === value }, one)))
      : make("input", { ...id, value, placeholder: option.default, maxlength: 80 });
    return make("label", {}, make("span", {}, `${option.name} (${option.may_be})`), field);
  }));
}

function chosenPlayer(form) {
  const chosen = form.get("opponent");
  if (chosen !== OTHER) return chosen;
  const options = [...form.entries()].filter(([name, value]) => name.startsWith("option-") && value.trim());
  const text = options.map(([name, value]) => `${name.slice(7)}=${value.trim()}`).join(",");
  return $("player").value + (text ? `:${text}` : "");
}

$("player").addEventListener("change", () => { showOptions(); choose(); });
$("new").addEventListener("click", () => showForm(true));
$("back").addEventListener("click", () => showForm(false));
$("setup").addEventListener("submit", (event) => {
  event.preventDefault();
  const form = new FormData($("setup"));
  begin(chosenPlayer(form), form.get("you"), $("minutes").value);
  scrollTo({ top: 0, behavior: "smooth" });
});
$("hint").addEventListener("click", () => oracle.ask(position()));
$("undo").addEventListener("click", undo);
$("resign").addEventListener("click", () => {
  const seat = game.opponent === PEOPLE ? acting(position()) : seatOfYou();
  stopThinking();
  game.resigned = SEATS[seat];
  next();
});
addEventListener("keydown", () => { byKey = true; }, true);
addEventListener("pointerdown", () => { byKey = false; }, true);
addEventListener("hashchange", () => { stopThinking(); load(); startClock(); next(); });
setInterval(() => { if (thinking) show(); }, 1000);

load();
show();
try {
  roster = await get("/api/players");
  showLevels();
  if (game.begun) {
    const cut = problem;
    startClock();
    next();
    if (cut) { problem = cut; show(); }
  }
} catch (error) {
  $("problem").textContent = error.message;
}
document.body.dataset.ready = "true";
