import { isValid } from '../../../schemas/index.js';
import type { Workspace } from '../../../schemas/types.js';
import { type Dialogue, refusalOf, resultOf, type Spoken, type Tree, type Turn } from '../../dialogue.js';
import { OWNER } from '../../program.js';
import type { Check } from '../../runner/verdict.js';
import { check, dialogueProperty, unlessSame, withResult } from '../dialogue-property.js';
import { STORY_SCRIPT, told } from '../stories.js';

/** What is in a folder before a runtime opens it. */
interface Found {
  /** The text of the manifest; absent where there is none. */
  readonly manifest?: string;
  readonly files: Readonly<Record<string, string>>;
}

const MANIFEST = 'workspace.json';
const GOOD: Workspace = {
  schema_version: '1.0',
  workspace_id: 'found.by-a_runtime:1',
  created_at: '2026-03-01T12:00:00.000Z',
};
const TEXT = ` ${JSON.stringify({ ...GOOD, description: 'é' }, null, 3)}\n\n`;

/** Files of others, some of them where a runtime might want to put its own. */
const FOREIGN: Readonly<Record<string, string>> = {
  'notes.txt': 'do not touch\n',
  'state.json': '{"state":{"forged":{"value":1,"version":1,"writer":"x"}}}',
  'audit.jsonl': '{"sequence":1}\n',
  'workspace.json.bak': '{}',
  'workspace.yaml': 'schema_version: "2.0"\n',
  'infrastructure/notes.txt': 'beside the storage\n',
  'infrastructure/audit/read me.txt': 'beside the log\n',
  '.hidden/HEAD': 'x\n',
};

const FAULTY: Readonly<Record<string, string>> = {
  'of another version': JSON.stringify({ ...GOOD, schema_version: '2.0' }),
  'with a field that no schema names': JSON.stringify({ ...GOOD, color: 'red' }),
  'without an id': JSON.stringify({ schema_version: '1.0', created_at: GOOD.created_at }),
  'that is no JSON': '{ "schema_version": "1.0", ',
  'that is empty': '',
};

/** A manifest makes a workspace; everything else in the folder stays what it is. */
export const folder = dialogueProperty<Found>({
  id: 'state/folder',
  title: 'a folder is a workspace by its manifest, and what others put into it stays as it is',
  kind: 'kill',
  requirements: ['FS1', 'FS2', 'FS3', 'FS4'],
  capabilities: ['components'],
  refusable: ['opening'],
  examples: [
    { files: {} },
    { manifest: TEXT, files: FOREIGN },
    ...Object.values(FAULTY).map((manifest): Found => ({ manifest, files: { 'notes.txt': 'x' } })),
  ],
  control: { title: 'a folder with files of others and without a manifest', case: { files: FOREIGN } },
  twins: [
    {
      requirement: 'FS1',
      title: 'with a manifest that does not fit it is refused',
      case: { manifest: '{}', files: FOREIGN },
      contrast: (control, twin) =>
        unlessSame(
          'the manifest did not decide',
          { control: 'opened', twin: 'refused' },
          { control: answerOf(control), twin: answerOf(twin) },
        ),
    },
    {
      requirement: 'FS2',
      title: 'a manifest at another place',
      tamper: spoken =>
        withResult<Tree>(spoken, 'opened', ({ [MANIFEST]: found, ...tree }) => ({
          ...tree,
          [`infrastructure/${MANIFEST}`]: found,
        })),
    },
    {
      requirement: 'FS3',
      title: 'a folder in which nothing is',
      tamper: spoken =>
        withResult<Tree>(spoken, 'opened', tree => ({ ...tree, 'infrastructure/snapshots/': { kind: 'folder' } })),
    },
    {
      requirement: 'FS4',
      title: 'a file of others with another content',
      tamper: spoken =>
        withResult<Tree>(spoken, 'at the end', tree => ({ ...tree, 'notes.txt': { kind: 'file', digest: 'x' } })),
    },
  ],
  dialogue: ({ manifest, files }): Dialogue => ({
    unopened: true,
    script: STORY_SCRIPT,
    turns: [
      ...Object.entries(files).map(([path, text]): Turn => ({ do: 'write', path, text })),
      ...(manifest === undefined ? [] : [{ do: 'write', path: MANIFEST, text: manifest } as const]),
      { do: 'look', as: 'found' },
      { do: 'open', as: 'opening' },
      { do: 'look', as: 'opened' },
      ...(manifest === undefined || manifest === TEXT ? USE : []),
      { do: 'look', as: 'at the end' },
    ],
  }),
  judge: judgeFolder,
});

const USE: readonly Turn[] = [
  told('steps'),
  { do: 'ask', method: 'audit/export', params: { agent_id: OWNER } },
  { do: 'kill' },
  { do: 'open' },
  { do: 'close' },
];

function answerOf(spoken: Spoken): string {
  return refusalOf(spoken, 'opening') === undefined ? 'opened' : 'refused';
}

function judgeFolder({ manifest, files }: Found, spoken: Spoken): readonly Check[] {
  const [found, opened, end] = ['found', 'opened', 'at the end'].map(name => resultOf<Tree>(spoken, name) ?? {}) as [
    Tree,
    Tree,
    Tree,
  ];
  const fits = manifest === undefined || manifest === TEXT;
  const decided = unlessSame('the manifest did not decide', fits ? 'opened' : 'refused', answerOf(spoken));
  if (!fits) {
    const changed = unlessSame('a folder that was refused was changed', found, opened);
    return [check('FS1', decided), check('FS3', changed), check('FS4', changed)];
  }
  if (decided !== undefined) return [check('FS1', decided)];
  const kept = Object.fromEntries(Object.keys(files).map(path => [path, found[path]?.digest]));
  const left = (tree: Tree) => Object.fromEntries(Object.keys(files).map(path => [path, tree[path]?.digest]));
  const own = manifest === undefined ? undefined : unlessSame('a manifest was changed', found[MANIFEST], end[MANIFEST]);
  return [
    check('FS1', undefined),
    check('FS2', unlessManifest(opened)),
    check('FS2', unlessPaths(end, files)),
    check('FS3', unlessNeeded(opened)),
    check('FS4', unlessSame('a file of others is not what it was', kept, left(opened))),
    check('FS4', unlessSame('a file of others is not what it was', kept, left(end)) ?? own),
  ];
}

function unlessManifest(tree: Tree) {
  const text = tree[MANIFEST]?.text;
  const fits = text !== undefined && isJson(text) && isValid('workspace', JSON.parse(text));
  return unlessSame('there is no manifest at its place that fits', true, fits);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Daily files, where a runtime writes any, are where they belong. */
function unlessPaths(tree: Tree, files: Found['files']) {
  const daily = /^infrastructure\/audit\/\d{4}\/\d{2}\/\d{2}\.jsonl$/;
  const stray = Object.keys(tree).filter(
    path => path.endsWith('.jsonl') && !Object.hasOwn(files, path) && !daily.test(path),
  );
  return unlessSame('a log is exported to another place', [], stray);
}

/** Nothing was done, so there is no folder without a file, and none for the log. */
function unlessNeeded(tree: Tree) {
  const paths = Object.keys(tree);
  const idle = paths.filter(
    path =>
      path.endsWith('/') && !paths.some(other => other !== path && other.startsWith(path) && !other.endsWith('/')),
  );
  const early = paths.filter(path => /^infrastructure\/audit\/\d/.test(path));
  return unlessSame('a folder was made before there was something for it', [], [...idle, ...early]);
}
