// The opening book: the exact value of every quiet position of up to six pieces (engine/exact/book.py
// explains it). The file, in little-endian order:
//
//     bytes 0..7    8..11        12..15             16 ...
//           magic   version 1    CRC-32 of the      words of 64 bits: pieces, number of lost keys,
//                                words              the lost keys, seed, shard bits, third, bits
import { key } from "./tables.js";
import { mix, word } from "./words.js";

const MAGIC = "quartobk", VERSION = 1, HEADER = 16;
const CRC = Int32Array.from({ length: 256 }, (_, byte) => {
  for (let bit = 0; bit < 8; bit++) byte = byte & 1 ? byte >>> 1 ^ 0xedb88320 : byte >>> 1;
  return byte;
});

function checksum(bytes) {
  let crc = -1;
  for (let i = 0; i < bytes.length; i++) crc = crc >>> 8 ^ CRC[(crc ^ bytes[i]) & 255];
  return ~crc >>> 0;
}

function isBook(buffer) {
  if (buffer.byteLength <= HEADER) return false;
  const view = new DataView(buffer), magic = String.fromCharCode(...new Uint8Array(buffer, 0, MAGIC.length));
  return magic === MAGIC && view.getUint32(8, true) === VERSION
    && view.getUint32(12, true) === checksum(new Uint8Array(buffer, HEADER));
}

export class Book {
  // Throws an Error if the bytes are not a book.
  constructor(buffer) {
    if (!isBook(buffer)) throw new Error("the book is damaged: load the page again");
    this.words = new Uint32Array(buffer, HEADER);
    this.pieces = this.words[0];
    this.lost = this.words[2];
    // in halves of words: the first lost key, the parameters, the bits
    const start = 4 + 2 * this.lost;
    [this.seed, this.shardBits, this.third] = [0, 2, 4].map((i) => this.words[start + i]);
    this.bits = start + 6;
  }

  bit(cell) { return this.words[this.bits + (cell >>> 5)] >>> (cell & 31) & 1; }

  // Whether the player to place wins the quiet position of this key.
  wins() {
    const third = this.third;
    [word.hi, word.lo] = [key.hi, (key.lo ^ this.seed) >>> 0];
    mix();
    const parts = [word.lo & 0x1fffff, (word.lo >>> 21 | word.hi << 11) & 0x1fffff, word.hi >>> 10 & 0x1fffff];
    mix();
    let first = this.shardBits ? (word.hi >>> 32 - this.shardBits) * third * 3 : 0, bit = 0;
    for (const part of parts) {
      bit ^= this.bit(first + Math.floor(part * third / 0x200000));
      first += third;
    }
    return bit === 1;
  }

  // Whether that player loses; only asked if it does not win.
  loses() {
    let low = 0, end = this.lost;
    while (low < end) {
      const middle = low + end >> 1, lo = this.words[4 + 2 * middle], hi = this.words[5 + 2 * middle];
      if (hi === key.hi && lo === key.lo) return true;
      if (hi < key.hi || (hi === key.hi && lo < key.lo)) low = middle + 1;
      else end = middle;
    }
    return false;
  }
}
