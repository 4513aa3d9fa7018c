import type { ComplianceVerdict } from '../../../schemas/types.js';
import { escapeXml, sentenceHtml } from '../escape.js';
import type { Judged } from '../standing.js';
import { CHAPTER_TITLES, VERDICTS } from '../words.js';

/** The colour of a verdict; only PASS is green. */
export const TONES: Readonly<Record<ComplianceVerdict, string>> = {
  PASS: 'good',
  FAIL: 'bad',
  HARNESS_ERROR: 'bad',
  INCONCLUSIVE: 'warn',
  NOT_APPLICABLE: 'quiet',
};

/** Gives every requirement with its verdict, what was planned, reached and passed, and what would have found it broken. */
export function clauseTable(all: readonly Judged[], failures: ReadonlyMap<string, number>): string {
  return `<div class="filters" id="filters" role="search" hidden>
<input id="find" type="search" placeholder="Find in clauses ( / )" aria-label="Find in clauses">
<select id="chapter" aria-label="Chapter"><option value="">Every chapter</option>${chapterOptions(all)}</select>
${wordsOf(all)
  .map(word => `<button type="button" data-verdict="${word}" aria-pressed="false">${verdictText(word)}</button>`)
  .join('\n')}
<span id="shown" class="soft small" role="status"></span>
</div>
<table id="clauses" class="cards-narrow">
<thead><tr><th scope="col">Requirement</th><th scope="col">Verdict</th><th scope="col">What it says</th><th scope="col">Passed of reached of planned</th><th scope="col">Planted faults</th></tr></thead>
<tbody>
${inOrder(all)
  .map(one => row(one, failures))
  .join('\n')}
</tbody>
</table>
<p id="none-left" class="none-left" hidden>No requirement fits the filter.</p>`;
}

/** What calls for attention first, what was not judged last, and otherwise the order of the specification. */
function inOrder(all: readonly Judged[]): readonly Judged[] {
  return WORDS.flatMap(word => all.filter(one => wordOf(one) === word));
}

/** The word that a row is filtered by. */
function wordOf({ row: found, judges, clause }: Judged): string {
  if (found !== undefined) return found.verdict;
  if (judges.length > 0) return 'NOT_RUN';
  return clause?.untestable === undefined ? 'UNJUDGED' : 'UNTESTABLE';
}

const WORDS: readonly string[] = [...VERDICTS, 'NOT_RUN', 'UNJUDGED', 'UNTESTABLE'];

function wordsOf(all: readonly Judged[]): readonly string[] {
  const seen = new Set(all.map(wordOf));
  return WORDS.filter(word => seen.has(word));
}

const SPECIAL: Readonly<Record<string, string>> = {
  NOT_RUN: 'not run',
  UNJUDGED: 'no property yet',
  UNTESTABLE: 'no test can show',
};

function verdictText(word: string): string {
  return SPECIAL[word] ?? word.replaceAll('_', ' ');
}

function chapterOptions(all: readonly Judged[]): string {
  const numbers = [...new Set(all.map(({ clause }) => clause?.chapter))].filter(number => number !== undefined);
  return numbers.map(number => `<option value="${number}">${number} ${CHAPTER_TITLES[number] ?? ''}</option>`).join('');
}

function row(one: Judged, failures: ReadonlyMap<string, number>): string {
  const { id, clause, row: found, judges, mutants } = one;
  const word = wordOf(one);
  const tone = found === undefined ? 'quiet' : TONES[found.verdict];
  const at = failures.get(id);
  const link = at === undefined ? '' : ` <a class="small" href="#failure-${at}">the failure</a>`;
  const why = found?.reason?.replaceAll('_', ' ') ?? clause?.untestable;
  const below = [why, judges.join(', ')].filter(text => text !== undefined && text !== '').join(' · ');
  const numbers = found === undefined ? '' : `${found.passed} of ${found.reached} of ${found.planned}${meter(found)}`;
  return `<tr id="${escapeXml(id)}" data-verdict="${word}" data-chapter="${clause?.chapter ?? ''}">
<td class="id">${escapeXml(id)}</td><td><span class="pill ${tone}">${verdictText(word)}</span>${link}</td>
<td class="says">${sentenceHtml(clause?.text ?? 'Its text is not in this package.')}${below === '' ? '' : `<span class="small soft">${escapeXml(below)}</span>`}</td>
<td class="number" data-label="passed of reached of planned">${numbers}</td><td class="small soft" data-label="planted faults">${escapeXml(mutants.join(', '))}</td></tr>`;
}

function meter({ planned, reached, passed }: { planned: number; reached: number; passed: number }): string {
  if (planned === 0) return '';
  const share = (count: number) => `${Math.round((100 * Math.min(count, planned)) / planned)}%`;
  return `<div class="meter" aria-hidden="true"><i class="good" style="width:${share(passed)}"></i><i class="bad" style="width:${share(reached - passed)}"></i></div>`;
}
