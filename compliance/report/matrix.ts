import type { Conviction } from '../mutants/power.js';
import { colorsOf } from './color.js';

/** Gives one line of the kill matrix: the suspect, its fate, and what turned red, the broken requirement in brackets. */
export function convictionLine(conviction: Conviction, color: boolean): string {
  const colors = colorsOf(color);
  const { suspect, fate, red, green, exit } = conviction;
  const word = (fate === 'killed' ? colors.green : colors.red)(fate.padEnd(10));
  const blamed = red.map(id => (id === suspect.requirement ? colors.bold(`[${id}]`) : id)).join(' ');
  const wanted = fate === 'killed' || suspect.requirement === undefined ? '' : ` wanted [${suspect.requirement}]`;
  const seconds = `${(conviction.elapsed_ms / 1000).toFixed(1)} s`.padStart(7);
  const facts = suspect.requirement === undefined ? `${green} green, exit ${exit}` : blamed;
  const cut = conviction.cut ? ' …' : '';
  const note = conviction.note === undefined ? '' : ` (${conviction.note.split('\n')[0]})`;
  return `${word} ${suspect.id.padEnd(28)} ${seconds}  ${facts}${cut}${wanted}${note}\n`;
}

/** Gives how many suspects were caught, with the right blame. */
export function matrixSummary(convictions: readonly Conviction[], suspects: number, color: boolean): string {
  const colors = colorsOf(color);
  const killed = convictions.filter(({ fate }) => fate === 'killed').length;
  const text = `${killed} of ${suspects} faulty runtimes were caught and rightly blamed`;
  return `\n${(killed === suspects ? colors.green : colors.red)(text)}\n`;
}
