import { CATALOGUE, EVIDENCE, FAMILY_OF, type Family } from '../catalogue.js';
import type { Requirement } from '../chapters.js';
import { anchorOf, codes, fromChapter, pageStart, table } from './markdown.js';
import { type ReferenceSources, type Shown, shownBy, titleOf } from './sources.js';

const FROM = 'spec/v1.0 and the declarations of the suite';
const LEGEND = `**Shown by** says how a test from outside can show it: ${Object.entries(EVIDENCE)
  .map(([letter, meaning]) => `**${letter}** ${meaning}`)
  .join(', ')}.
**Judged by** names the properties of the suite that give a verdict on it, **broken by** the faulty runtimes that the suite has to catch; \`npx ars-compliance explain ID\` tells more.
`;

/** Gives `reference/requirements.md`: every requirement in the order of the chapters. */
export function requirementsPage(sources: ReferenceSources): string {
  const shown = shownBy(sources);
  const sections = sources.chapters.map(chapter => {
    const own = sources.requirements.filter(({ link }) => link.startsWith(`${chapter.path}#`));
    const rows = own.map(requirement => rowOf(requirement, shown.get(requirement.id)));
    const headings = ['id', 'level', 'requirement', 'shown by', 'judged by', 'broken by'];
    const body = rows.length === 0 ? 'This chapter states no requirement.' : table(headings, rows);
    return `## ${titleOf(chapter)}\n\n${body}\n`;
  });
  return `${pageStart('Requirements', FROM)}
The ${sources.requirements.length} normative sentences of ARS 1.0. Each identifier leads to the place that states it.
${LEGEND}
${sections.join('\n')}`;
}

function rowOf(requirement: Requirement, shown: Shown | undefined): string[] {
  const { id, level, link, sentence, how, untestable } = requirement;
  return [
    `[${id}](../${link})`,
    level,
    fromChapter(sentence, chapterOf(requirement)),
    untestable === undefined ? how.join(' ') : `${how.join(' ')}: ${fromChapter(untestable, chapterOf(requirement))}`,
    codes((shown?.properties ?? []).map(property => property.id)),
    codes((shown?.mutants ?? []).map(mutant => mutant.id)),
  ];
}

/** Gives `reference/invariants.md`: each invariant with what judges it and what breaks it, in words. */
export function invariantsPage(sources: ReferenceSources): string {
  const shown = shownBy(sources);
  const count = sources.requirements.filter(({ kind }) => kind === 'invariant').length;
  const sections = familiesOf('invariant').map(family => {
    const entries = membersOf(family, sources.requirements).map(member => entryOf(member, shown.get(member.id)));
    return `## ${headingOf(family)}\n\n${entries.join('\n')}`;
  });
  return `${pageStart('Invariants', FROM)}
The ${count} statements that hold at every moment, whatever is executed, killed or asked.

${sections.join('\n')}`;
}

function entryOf(requirement: Requirement, shown: Shown | undefined): string {
  const { id, link, sentence, note, how, untestable } = requirement;
  const words = how.map(letter => EVIDENCE[letter]).join('; ');
  const lines = [
    `- Shown by: ${words}${untestable === undefined ? '' : `: ${untestable}`}`,
    ...(shown?.properties ?? []).map(property => `- Judged by \`${property.id}\`: ${property.title}`),
    ...(untestable === undefined && shown?.properties.length === 0 ? ['- Judged by no property of the suite.'] : []),
    ...(shown?.mutants ?? []).map(mutant => `- Broken by \`${mutant.id}\`: ${mutant.why}`),
  ];
  const quoted = note === undefined ? '' : `\n> ${fromChapter(note, chapterOf(requirement))}\n`;
  return `### ${id}\n\n[${id}](../${link}): ${fromChapter(sentence, chapterOf(requirement))}\n${quoted}\n${lines.join('\n')}\n`;
}

/** Gives `reference/contracts.md`: the families of contracts with their members. */
export function contractsPage(sources: ReferenceSources): string {
  const shown = shownBy(sources);
  const families = familiesOf('contract');
  const index = families.map(family => {
    const members = membersOf(family, sources.requirements);
    const judged = members.filter(({ id }) => (shown.get(id)?.properties.length ?? 0) > 0).length;
    return [
      `[${nameOf(family)}](#${anchorOf(headingOf(family))})`,
      family.title,
      String(family.chapter),
      `${judged} of ${members.length}`,
    ];
  });
  const sections = families.map(family => {
    const rows = membersOf(family, sources.requirements).map(requirement => [
      `[${requirement.id}](../${requirement.link})`,
      fromChapter(requirement.sentence, chapterOf(requirement)),
      codes((shown.get(requirement.id)?.properties ?? []).map(property => property.id)),
    ]);
    return `## ${headingOf(family)}\n\n${table(['id', 'requirement', 'judged by'], rows)}\n`;
  });
  return `${pageStart('Contracts', FROM)}
What a runtime promises about one thing, by family.

${table(['family', 'about', 'chapter', 'judged by a property'], index)}

${sections.join('\n')}`;
}

function familiesOf(kind: Family['kind']): Family[] {
  return CATALOGUE.filter(family => family.kind === kind).toSorted((a, b) => a.chapter - b.chapter);
}

function membersOf(family: Family, requirements: readonly Requirement[]): Requirement[] {
  return requirements
    .filter(({ id }) => FAMILY_OF.get(id) === family)
    .toSorted((a, b) => family.ids.indexOf(a.id) - family.ids.indexOf(b.id));
}

function nameOf({ ids }: Family): string {
  return ids.length === 1 ? (ids[0] ?? '') : `${ids[0]} to ${ids.at(-1)}`;
}

function headingOf(family: Family): string {
  return `${nameOf(family)}: ${family.title}`;
}

function chapterOf({ link }: Requirement): string {
  return link.replace(/#.*$/, '');
}
