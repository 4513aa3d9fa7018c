const ESCAPE = /\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U(?<wide>[0-9a-fA-F]{8})|(?<fold>\r?\n[ \t]*)|.)/sy;

/**
 * Returns where each code unit of a string stands in what is written for it, in quotes, with escapes, or over several
 * lines, and at its end where that ends; undefined where it is written in another way, as by an alias.
 */
export function writtenOffsets(value: string, written: string): Int32Array | undefined {
  const [quote = ''] = /^["']/.exec(written) ?? [];
  const offsets = new Int32Array(value.length + 1);
  const end = written.length - quote.length;
  let at = quote.length;
  for (let index = 0; index < value.length; ) {
    const unit = value[index] as string;
    const here = at < end ? (written[at] as string) : '';
    ESCAPE.lastIndex = at;
    const escaped = quote === '"' && here === '\\' ? ESCAPE.exec(written) : null;
    if (escaped?.groups?.fold !== undefined) {
      at += escaped[0].length;
      continue;
    }
    const isFold = unit === ' ' && /^[\r\n]$/.test(here);
    const isRepeated = quote === "'" && unit === quote && written.startsWith("''", at);
    const isChomped = here === '' && unit === '\n';
    if (escaped === null && here !== unit && !isFold && !isChomped) {
      if (!/^\s$/.test(here)) return undefined;
      at++;
      continue;
    }
    const wide = escaped?.groups?.wide;
    const units = wide !== undefined && Number.parseInt(wide, 16) > 0xffff ? 2 : 1;
    offsets.fill(at, index, index + units);
    index += units;
    if (escaped !== null) at += escaped[0].length;
    else if (!isFold && !isChomped) at += isRepeated ? 2 : 1;
  }
  offsets[value.length] = at;
  return offsets;
}
