import { refusalText, troubleIn, withoutWords } from '../../model/refusal.js';
import { decide } from '../../model/scene.js';
import { courseOf, SCENE_TIME } from '../../model/scene-course.js';
import { RULES } from '../../model/scene-gates.js';
import type { World } from '../../model/scene-world.js';
import type { Examination } from '../../runner/case-property.js';
import type { Subject } from '../../runner/property.js';
import type { Check, Failure } from '../../runner/verdict.js';
import type { Act, Played, Reply, Scene } from '../../scene.js';
import { judgeLog, type LogRequirement } from './scene-log.js';
import { agrees, wordOf } from './scene-words.js';

/** Has a runtime play a scene. */
export async function examineScene(subject: Subject, scene: Scene): Promise<Examination<Played>> {
  const evidence = await subject.play(scene);
  const answers = scene.acts.flatMap((act, at) =>
    (evidence.seen[at]?.replies ?? []).map(reply => [`act ${at + 1}, ${act.do}`, reply] as const),
  );
  return { evidence, kills: evidence.kills, violations: evidence.violations, notes: troubleIn(answers) };
}

/** What is broken where no rule of the model tells of it. */
const OTHERWISE: Readonly<Partial<Record<Act['do'], string>>> = {
  check: 'EG1',
  start: 'EG1',
  dry_run: 'EG1',
  resume: 'EG1',
  cancel: 'CA1',
  undo: 'CA3',
  state: 'NS4',
  records: 'NS1',
  evidence: 'NS3',
  finish: 'GFR2',
};

/**
 * What the answers in a scene say about the rules that they depend on. Behind the first that is wrong nothing is judged,
 * since the runtime's world is another one from there on.
 */
export function judgeScene(scene: Scene, played: Played): readonly Check[] {
  const checks: Check[] = [];
  const labels = new Map<string, string>();
  for (const [at, { world, words }] of courseOf(scene, SCENE_TIME).entries()) {
    const act = scene.acts[at] as Act;
    const found = judgeAct(act, { world, words, played, at, labels });
    checks.push(...found);
    if (found.some(({ failure }) => failure !== undefined)) break;
    note(act, played.seen[at]?.replies ?? [], labels);
  }
  return checks;
}

/** What the answers in a scene say, and what its log says about these requirements; where an answer was wrong that alone. */
export function judgeSceneWith(
  requirements: readonly LogRequirement[],
): (scene: Scene, played: Played) => readonly Check[] {
  return (scene, played) => {
    const checks = judgeScene(scene, played);
    const isWrong = checks.some(({ failure }) => failure !== undefined);
    const logged = judgeLog(requirements, scene, played);
    return [...checks, ...(isWrong ? logged.filter(({ requirement }) => !BY_MODEL.has(requirement)) : logged)];
  };
}

/** What is told of a log by what the model knows, which is wrong once an answer was. */
const BY_MODEL: ReadonlySet<string> = new Set(['AI3', 'GFR2']);

interface Moment {
  readonly world: World;
  readonly words: readonly string[];
  readonly played: Played;
  readonly at: number;
  readonly labels: ReadonlyMap<string, string>;
}

function judgeAct(act: Act, { world, words, played, at, labels }: Moment): Check[] {
  const seen = played.seen[at];
  if (seen === undefined || seen.replies.length === 0) return [];
  const wordFor = (reply: Reply, expected: string) => wordOf(act, reply, { seen, expected, labels });
  const wanted = [...words].sort();
  const observed = seen.replies.map((reply, index) => wordFor(reply, wanted[index] ?? (wanted[0] as string)));
  const sorted = act.do === 'check' ? observed : [...observed].sort();
  const wrong = sorted.findIndex((word, index) => !agrees(wanted[index] ?? (wanted[0] as string), word));
  const without = RULES.map(rule => [rule, decide(world, act, rule)] as const);
  const about = without.filter(([, word]) => word !== words[0]);
  const guilty = wrong < 0 ? [] : blame(act, about, sorted[wrong] as string);
  const failure: Failure = {
    message: `act ${at + 1}, ${act.do}: not what chapter 9 says${wordsOf(seen.replies)}`,
    expected: words.length === 1 ? words[0] : words,
    observed: observed.length === 1 ? observed[0] : observed,
  };
  const ids = new Set([...about.map(([rule]) => rule), ...guilty]);
  const checks: Check[] = [...ids].map(requirement => ({
    requirement,
    reached: true,
    ...(guilty.includes(requirement) ? { failure } : {}),
  }));
  return act.do === 'check' ? [...checks, alike(seen.replies, at)] : checks;
}

/** The adapter's own words in its refusals, where there are some. */
function wordsOf(replies: readonly Reply[]): string {
  const said = replies.flatMap(reply => ('error' in reply ? [refusalText(reply.error)] : []));
  return said.length === 0 ? '' : `; it was answered with ${[...new Set(said)].join(', and with ')}`;
}

/** The rules without which the answer would be right; else all that it depends on. */
function blame(act: Act, about: readonly (readonly [string, string])[], observed: string): readonly string[] {
  const guilty = about.filter(([, word]) => agrees(word, observed));
  const blamed = (guilty.length > 0 ? guilty : about).map(([rule]) => rule);
  return blamed.length > 0 ? blamed : [OTHERWISE[act.do] ?? 'DI1'];
}

function alike(replies: readonly Reply[], at: number): Check {
  const [first, ...others] = replies.map(reply => JSON.stringify(withoutWords(reply)));
  const failure: Failure = {
    message: `act ${at + 1}, check: asked twice with the same facts, the gate says two things`,
    expected: first,
    observed: others,
  };
  const same = others.every(other => other === first);
  return { requirement: 'EG1', reached: true, ...(same ? {} : { failure }) };
}

/** Keeps the names of the instances that an act began. */
function note(act: Act, replies: readonly Reply[], labels: Map<string, string>): void {
  if (act.do !== 'start' && act.do !== 'resume') return;
  for (const reply of replies) {
    const id = 'result' in reply ? reply.result.execution_id : undefined;
    if (typeof id === 'string' && !labels.has(id)) labels.set(id, (act.do === 'start' ? act.label : act.as) ?? '');
  }
}

/**
 * What is wrong unless the last act of the control came out in one way and that of its twin in another, both told by how
 * the words for it begin.
 */
export function contrastLast(control: string, twin: string): (a: Played, b: Played) => Failure | undefined {
  return (first, second) => {
    const words = { control: lastWord(first), twin: lastWord(second) };
    if (words.control.startsWith(control) && words.twin.startsWith(twin)) return undefined;
    const observed = { control: lastText(first), twin: lastText(second) };
    const message =
      `the last act has to come out as ${control} in the control and as ${twin} in its twin, which differs from it in one ` +
      `thing; it was ${observed.control} in the control and ${observed.twin} in the twin`;
    return { message, expected: { control, twin }, observed };
  };
}

function lastReply({ seen }: Played): Reply | undefined {
  return seen.findLast(({ replies }) => replies.length > 0)?.replies.at(-1);
}

function lastWord(played: Played): string {
  const reply = lastReply(played);
  if (reply === undefined) return 'nothing';
  if ('error' in reply) return ['denied', ...reply.error.reasons].join(' ');
  return 'decision' in reply.result ? String(reply.result.decision) : 'done';
}

function lastText(played: Played): string {
  const reply = lastReply(played);
  return reply !== undefined && 'error' in reply ? refusalText(reply.error) : lastWord(played);
}
