/**
 * From how many bytes on an array lies in shared memory. V8 counts the memory of other arrays as a sign of garbage, and goes
 * through the whole heap after each further 64 MB of them, although only the document is there, which is still in use. The
 * arrays of a large document are in proportion to its own part of the heap, so that its garbage brings the collections in
 * which they are given back.
 */
const SHARED_FROM = 1_048_576;
/** Up to how many bytes an array is a piece of a block: memory of its own takes longer to get than it takes to fill. */
const PIECES_TO = 16_384;
const BLOCK = 65_536;
const ALIGNED = 8;

let block = new ArrayBuffer(BLOCK);
let used = 0;

/** Returns an array of so many zeros. */
export function int32s(count: number): Int32Array {
  const bytes = count * Int32Array.BYTES_PER_ELEMENT;
  return bytes > PIECES_TO ? new Int32Array(memory(bytes)) : new Int32Array(blockFor(bytes), used - bytes, count);
}

/** Returns an array of so many zeros. */
export function uint16s(count: number): Uint16Array {
  const bytes = count * Uint16Array.BYTES_PER_ELEMENT;
  return bytes > PIECES_TO ? new Uint16Array(memory(bytes)) : new Uint16Array(blockFor(bytes), used - bytes, count);
}

/** Returns an array of so many zeros. */
export function uint8s(count: number): Uint8Array {
  return count > PIECES_TO ? new Uint8Array(memory(count)) : new Uint8Array(blockFor(count), used - count, count);
}

/** Returns a longer array that begins with the numbers of another one. */
export function grown(list: Int32Array, size: number): Int32Array {
  const longer = int32s(size);
  longer.set(list);
  return longer;
}

function memory(bytes: number): ArrayBufferLike {
  return bytes < SHARED_FROM ? new ArrayBuffer(bytes) : new SharedArrayBuffer(bytes);
}

/** Returns a block of which so many bytes are free, up to the place that is used from then on. */
function blockFor(bytes: number): ArrayBuffer {
  const start = Math.ceil(used / ALIGNED) * ALIGNED;
  if (start + bytes > BLOCK) block = new ArrayBuffer(BLOCK);
  used = start + bytes > BLOCK ? bytes : start + bytes;
  return block;
}
