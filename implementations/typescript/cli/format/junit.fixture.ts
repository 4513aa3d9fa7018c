/** Of each element what may be in it, and its attributes; those in the first list have to be there. */
const ELEMENTS: Readonly<Record<string, readonly [children: readonly string[], must: string[], may: string[]]>> = {
  testsuites: [['testsuite'], [], ['name', 'tests', 'failures', 'errors', 'disabled', 'time']],
  testsuite: [
    ['properties', 'testcase', 'system-out', 'system-err'],
    ['name', 'tests'],
    ['failures', 'errors', 'skipped', 'disabled', 'time', 'timestamp', 'hostname', 'id', 'package', 'file'],
  ],
  testcase: [
    ['skipped', 'error', 'failure', 'system-out', 'system-err'],
    ['name'],
    ['classname', 'time', 'assertions', 'status', 'file', 'line'],
  ],
  failure: [[], [], ['type', 'message']],
  error: [[], [], ['type', 'message']],
  skipped: [[], [], ['type', 'message']],
  'system-out': [[], [], []],
};
const COUNTED: Readonly<Record<string, string>> = {
  tests: 'testcase',
  failures: 'failure',
  errors: 'error',
  skipped: 'skipped',
};
const TEXT_IN = new Set(['failure', 'error', 'skipped', 'system-out']);
const TAG = /<(\/?)([a-z-]+)((?:\s[a-z]+="[^"<&]*(?:&(?:amp|lt|gt|quot|apos);[^"<&]*)*")*)(\/?)>/y;

interface Element {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  /** How many elements of each name are below it. */
  readonly below: Map<string, number>;
}

/** Returns what a reader of JUnit's XML would not take: of the form of XML, of the elements, and of the counts. */
export function junitDefects(xml: string): string[] {
  const head = '<?xml version="1.0" encoding="UTF-8"?>\n';
  if (!xml.startsWith(head)) return ['no declaration'];
  const defects: string[] = [];
  const open: Element[] = [];
  let at = head.length;
  while (at < xml.length) {
    if (xml[at] !== '<') {
      const next = xml.indexOf('<', at);
      const text = xml.slice(at, next < 0 ? xml.length : next);
      at += text.length;
      if (/&(?!(?:amp|lt|gt|quot|apos);)|\]\]>|(?![\t\n])\p{Cc}/u.test(text))
        defects.push(`text ${JSON.stringify(text)}`);
      if (text.trim() !== '' && !TEXT_IN.has(open.at(-1)?.name ?? '')) defects.push(`text in ${open.at(-1)?.name}`);
      continue;
    }
    TAG.lastIndex = at;
    const [tag, isEnd, name = '', list = '', isEmpty] = TAG.exec(xml) ?? [];
    if (tag === undefined) return [...defects, `no tag: ${xml.slice(at, at + 40)}`];
    at += tag.length;
    if (isEnd !== '/') {
      const attributes = new Map(
        [...list.matchAll(/([a-z]+)="([^"]*)"/g)].map(([, key = '', value = '']) => [key, value]),
      );
      judgeStart(name, attributes, open.at(-1)?.name, defects);
      for (const above of open) above.below.set(name, (above.below.get(name) ?? 0) + 1);
      open.push({ name, attributes, below: new Map() });
    }
    if (isEnd !== '/' && isEmpty !== '/') continue;
    const element = open.pop();
    if (element?.name !== name) return [...defects, `${name} ends ${element?.name}`];
    judgeCounts(element, defects);
  }
  return [...defects, ...open.map(({ name }) => `${name} is left open`)];
}

function judgeStart(
  name: string,
  attributes: ReadonlyMap<string, string>,
  parent: string | undefined,
  defects: string[],
): void {
  const [children] = parent === undefined ? [['testsuites']] : (ELEMENTS[parent] ?? [[]]);
  if (!children.includes(name)) {
    defects.push(`${name} in ${parent}`);
    return;
  }
  const [, must, may] = ELEMENTS[name] ?? [[], [], []];
  for (const key of must) if (!attributes.has(key)) defects.push(`${name} without ${key}`);
  for (const key of attributes.keys())
    if (!must.includes(key) && !may.includes(key)) defects.push(`${name} with ${key}`);
}

function judgeCounts({ name, attributes, below }: Element, defects: string[]): void {
  if (name !== 'testsuite' && name !== 'testsuites') return;
  for (const [key, counted] of Object.entries(COUNTED)) {
    const said = attributes.get(key);
    const there = below.get(counted) ?? 0;
    if (said !== undefined && said !== `${there}`) defects.push(`${name} says ${key} ${said}, there are ${there}`);
  }
}
