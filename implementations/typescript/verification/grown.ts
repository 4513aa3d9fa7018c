/** Returns a longer list that begins with the numbers of another one. */
export function grown(list: Int32Array, size: number): Int32Array<ArrayBuffer> {
  const longer = new Int32Array(size);
  longer.set(list);
  return longer;
}
