import { createInterface } from 'node:readline';

/** A null adapter: writes every line back as it came. */
for await (const line of createInterface({ input: process.stdin })) process.stdout.write(`${line}\n`);
