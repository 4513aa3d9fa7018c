/** A null adapter: reads everything and never answers. */
process.stdin.on('data', () => {});
process.stdin.on('end', () => process.exit(0));
