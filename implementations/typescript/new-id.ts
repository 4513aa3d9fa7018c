import { getRandomValues } from 'node:crypto';
import { V7Generator } from 'uuidv7';

/** So many random numbers are fetched at once; to fetch them costs much more than to make an identifier of them. */
const numbers = new Uint32Array(1024);
let used = numbers.length;

const generator = new V7Generator({
  nextUint32() {
    if (used === numbers.length) {
      getRandomValues(numbers);
      used = 0;
    }
    return numbers[used++] as number;
  },
});

/** A new identifier, a UUID of version 7: each is greater than those before it. */
export function newId(): string {
  return generator.generate().toString();
}
