// The transposition table of the exact search: answers by canonical key and deadline, in buckets of
// four. In a full bucket the entry that took the least work is replaced.
import { key } from "./tables.js";

// Answers to "can the player to place win" and "can it at least draw".
export const WIN = 1, NO_WIN = 2, DRAW = 4, NO_DRAW = 8;
const KNOWLEDGE = 15, DEADLINE_SHIFT = 4, WORK_SHIFT = 9;
const BUCKETS = 1 << 15, WAYS = 4;
const HI = new Uint32Array(WAYS * BUCKETS), LO = new Uint32Array(WAYS * BUCKETS);
// knowledge, deadline, logarithm of the work; 0 is an empty entry
const ABOUT = new Int32Array(WAYS * BUCKETS);

function bucket() {
  const mixed = Math.imul(key.hi ^ Math.imul(key.lo, 0x9e3779b9), 0x85ebca6b);
  return WAYS * ((mixed ^ mixed >>> 15) >>> 0) % (WAYS * BUCKETS);
}

const isHere = (entry, deadline) => HI[entry] === key.hi && LO[entry] === key.lo
  && ABOUT[entry] !== 0 && (ABOUT[entry] >> DEADLINE_SHIFT & 31) === deadline;

// The answers that are stored for the position of the key, 0 if there are none.
export function recall(deadline) {
  const first = bucket();
  for (let entry = first; entry < first + WAYS; entry++) if (isHere(entry, deadline)) return ABOUT[entry] & KNOWLEDGE;
  return 0;
}

// Adds to that. `work`: nodes that the answer took.
export function remember(deadline, knowledge, work) {
  const first = bucket();
  let place = first;
  for (let entry = first; entry < first + WAYS; entry++) {
    if (isHere(entry, deadline)) {
      ABOUT[entry] |= knowledge;
      return;
    }
    if (ABOUT[entry] >> WORK_SHIFT < ABOUT[place] >> WORK_SHIFT) place = entry;
  }
  HI[place] = key.hi;
  LO[place] = key.lo;
  ABOUT[place] = (32 - Math.clz32(work)) << WORK_SHIFT | deadline << DEADLINE_SHIFT | knowledge;
}
