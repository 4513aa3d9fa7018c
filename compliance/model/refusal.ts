import type { Refused } from '../program.js';

/** Gives how a request was refused, in the adapter's own words where there are some. */
export function refusalText({ kind, gate, said, stderr }: Refused): string {
  const by = gate === undefined ? '' : ` by ${gate}`;
  const words = said === undefined || said === '' ? '' : `: ${JSON.stringify(said)}`;
  const written = stderr === undefined ? '' : `; its process wrote to stderr: ${stderr.split('\n').join(' | ')}`;
  return `${kind}${by}${words}${written}`;
}

/** Gives an answer without the words of the adapter, which decide nothing. */
export function withoutWords<A extends object>(answer: A): A {
  if (!('error' in answer)) return answer;
  const { said: _said, stderr: _stderr, ...decisive } = answer.error as Refused;
  return { ...answer, error: decisive };
}

/** Gives what a runtime said of errors of its own, among answers by their names; they leave open what was to be judged. */
export function troubleIn(answers: Iterable<readonly [name: string, answer: object]>): readonly string[] {
  return [...answers].flatMap(([name, answer]) => {
    const refused = 'error' in answer ? (answer.error as Refused) : undefined;
    return refused?.kind === 'internal' ? [`${name} was answered with ${refusalText(refused)}`] : [];
  });
}
