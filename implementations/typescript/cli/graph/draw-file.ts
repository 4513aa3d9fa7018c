import { resolve } from 'node:path';
import { ArsError } from '../../error.js';
import { visible } from '../code-frame.js';
import { collect } from '../collect.js';
import { ConfigFinder } from '../config.js';
import { counted } from '../counted.js';
import { findingLevel, judge } from '../judged.js';
import { levelsOf } from '../levels.js';
import { nextCommand } from '../next-command.js';
import { reportOnAll } from '../verify-report.js';
import { writePieces, writePiecesToFile } from '../write-pieces.js';
import { dot } from './dot.js';
import { mermaid } from './mermaid.js';
import { type Picture, pictureOf } from './picture.js';
import { svg } from './svg.js';

/** How a workflow is drawn, and where the picture goes. */
export interface GraphOptions {
  readonly format?: 'mermaid' | 'dot' | 'svg';
  readonly out?: string;
  /** Which document of the file, from 1. */
  readonly document?: string;
  readonly registry?: readonly string[];
  /** A configuration; true means the nearest above the file, false none. Absent means true. */
  readonly config?: string | boolean;
}

/** The bound that Mermaid sets by itself. */
const MERMAID_EDGES = 500;

/**
 * Draws a workflow of a file with what verification finds; returns the exit code, 0.
 *
 * Throws `usage` where there is nothing that can be drawn, or too much.
 */
export async function drawFile(file: string, options: GraphOptions): Promise<0> {
  const { registry: registries = [], out } = options;
  const isRead = (path: string): boolean => [file, ...registries].some(read => resolve(read) === resolve(path));
  if (out !== undefined && isRead(out)) throw new ArsError('usage', `--out ${visible(out)} names a file that is read`);
  const { documents, registry, problems } = await collect([{ file, named: true }], { registries });
  if (problems[0] !== undefined) throw new ArsError('usage', problems[0]);
  const at = Number(options.document ?? '1') - 1;
  const document = documents[at];
  if (document === undefined)
    throw new ArsError(
      'usage',
      `${visible(file)} has ${documents.length === 0 ? 'no workflow' : counted(documents.length, 'workflow')}, so there is none with the number ${options.document ?? 1}`,
    );
  const report = reportOnAll(documents, registry)[at]?.report;
  const [unread] = document.defects;
  if (report === undefined || unread !== undefined) {
    const place = unread === undefined ? '' : `:${unread.location.line}:${unread.location.column}`;
    throw new ArsError('usage', `${visible(file)}${place} cannot be drawn: ${visible(unread?.message ?? '')}`);
  }
  const { config = true } = options;
  const settings = await new ConfigFinder(config === true ? undefined : config).settingsOf(document.file);
  const judged = judge(document, { file: document.file, document: at, report, notes: [] }, levelsOf(settings));
  const picture = pictureOf(document.value, judged.report, finding => findingLevel(judged, finding) === 'error');
  if (picture.nodes.length === 0) {
    const foreign = report.findings.find(({ rule, pointer }) => rule === 'SCHEMA' && pointer === '');
    const why = foreign === undefined ? 'has no nodes to draw' : `cannot be drawn: ${visible(foreign.message)}`;
    throw new ArsError('usage', `${visible(file)} ${why}`);
  }
  const pieces = await drawn(picture, options.format ?? 'mermaid');
  if (out !== undefined) await writePiecesToFile(pieces, out, process.cwd());
  else
    await writePieces(
      pieces,
      text => process.stdout.write(text) || new Promise(done => process.stdout.once('drain', done)),
    );
  const note = noteOnOthers(file, at, documents.length);
  if (note !== undefined) process.stderr.write(`${note}\n`);
  const { errors, warnings } = judged;
  if (errors + warnings > 0)
    process.stderr.write(
      `${counted(errors, 'error')} and ${counted(warnings, 'warning')} marked; ${nextCommand('verify', file)} tells about them\n`,
    );
  if ((options.format ?? 'mermaid') === 'mermaid' && picture.edges.length > MERMAID_EDGES)
    process.stderr.write(
      `Mermaid draws ${MERMAID_EDGES} edges unless it is told otherwise (maxEdges); this workflow has ${picture.edges.length}\n`,
    );
  return 0;
}

/** Which document of several was drawn; undefined where there is no other. */
export function noteOnOthers(file: string, at: number, count: number): string | undefined {
  if (count <= 1) return undefined;
  return `document ${at + 1} of ${count} of ${visible(file)} is drawn; --document NUMBER chooses another`;
}

async function drawn(picture: Picture, format: 'mermaid' | 'dot' | 'svg'): Promise<Iterable<string>> {
  if (format === 'mermaid') return mermaid(picture);
  return format === 'dot' ? dot(picture) : [await svg(picture)];
}
