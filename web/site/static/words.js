// Words of 64 bits as two unsigned halves, and the hash of the engine (engine/rng.py).
export const word = { hi: 0, lo: 0 };

// The upper half of the product of two unsigned 32-bit numbers.
function high(a, b) {
  const a0 = a & 0xffff, a1 = a >>> 16, b0 = b & 0xffff, b1 = b >>> 16;
  const middle = a1 * b0 + (a0 * b0 >>> 16), other = a0 * b1 + (middle & 0xffff);
  return a1 * b1 + Math.floor(middle / 65536) + Math.floor(other / 65536);
}

function multiply(hi, lo) {
  word.hi = high(word.lo, lo) + Math.imul(word.lo, hi) + Math.imul(word.hi, lo) >>> 0;
  word.lo = Math.imul(word.lo, lo) >>> 0;
}

// word ^= word >> count, for 0 < count < 32
function fold(count) {
  word.lo = (word.lo ^ (word.lo >>> count | word.hi << 32 - count)) >>> 0;
  word.hi = (word.hi ^ word.hi >>> count) >>> 0;
}

// A bijection of words: changes `word`.
export function mix() {
  fold(30);
  multiply(0xbf58476d, 0x1ce4e5b9);
  fold(27);
  multiply(0x94d049bb, 0x133111eb);
  fold(31);
}

// Returns a function that returns a random integer 0 <= i < n. The same two numbers give the same ones.
export function generator(seed, index) {
  let count = 0;
  return (n) => {
    [word.hi, word.lo] = [Math.imul(index + 1, 0x9e3779b9) >>> 0, (seed + count++) >>> 0];
    mix();
    return Math.floor(word.hi / 0x100000000 * n);
  };
}
