import type { Finding, Location, RelatedPlace } from '../../../../schemas/types.js';
import { findingLevel, type JudgedReport, type Outcome } from '../judged.js';
import { Fingerprints } from './fingerprint.js';
import type { FormatOptions } from './format.js';
import { placesNotEvaluated } from './open-reference.js';
import { RULE_FACTS } from './rule-facts.js';
import { sourceUri } from './source-uri.js';
import { sentences } from './summary.js';

const SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json';
const ROOT = '%SRCROOT%';
const INDEX = new Map(RULE_FACTS.map(({ id }, index) => [id, index]));

/**
 * Gives one log of SARIF 2.1.0 with one run; a result a line.
 *
 * Every result has a region, its related places, the node as a logical location, and a fingerprint. What could not be read,
 * limits of the call that do not hold, and rules that were not evaluated are notifications.
 */
export function* sarif(outcome: Outcome, options: FormatOptions): Generator<string> {
  const run = {
    tool: { driver: driver(options) },
    columnKind: 'utf16CodeUnits',
    originalUriBaseIds: {
      [ROOT]: {
        description: { text: 'The folder of the repository, where it is known, else the one in which ars was called.' },
      },
    },
    invocations: [invocation(outcome, options)],
  };
  const head = JSON.stringify({ $schema: SCHEMA, version: '2.1.0', runs: [run] }).slice(0, -3);
  yield `${head},"results":[`;
  const fingerprints = new Fingerprints();
  let first = true;
  for (const report of outcome.reports) {
    for (const finding of report.report.findings) {
      const fingerprint = fingerprints.of(report.file, report.report, finding);
      yield `${first ? '' : ','}\n${JSON.stringify(result(report, finding, fingerprint, options))}`;
      first = false;
    }
  }
  yield `${first ? '' : '\n'}]}]}\n`;
}

function driver({ version }: FormatOptions): object {
  return {
    name: 'ars',
    fullName: 'ars verify, the static verifier of the Agent Runtime Specification',
    version,
    semanticVersion: version,
    rules: RULE_FACTS.map(({ id, requirement, why, help, level, chapter }) => ({
      id,
      name: id,
      shortDescription: { text: requirement },
      fullDescription: { text: why },
      help: { text: `${help} ${why}`, markdown: `${help}\n\n${why}\n\nSee [${id}](${chapter}).` },
      defaultConfiguration: { level },
      properties: { chapter, tags: ['workflow', 'verification'] },
    })),
  };
}

function invocation({ reports, problems, exceeded, exitCode }: Outcome, options: FormatOptions): object {
  const said = [...problems, ...exceeded.map(({ message }) => message)];
  const errors = said.map(text => ({ level: 'error', message: { text } }));
  const notEvaluated = reports.flatMap(report => {
    const places = new Map(placesNotEvaluated(report));
    return report.report.rules
      .filter(({ status }) => status === 'not_evaluated')
      .map(({ rule, reason = 'no reason was given' }) => ({
        level: 'note',
        message: { text: `${rule} was not evaluated: ${reason}` },
        associatedRule: { id: rule, index: INDEX.get(rule) ?? 0 },
        locations: [{ physicalLocation: physical(report, places.get(rule), options) }],
      }));
  });
  const notes = reports.flatMap(report =>
    report.notes.map(({ message, location }) => ({
      level: 'note',
      message: { text: message },
      associatedRule: { id: 'S8', index: INDEX.get('S8') ?? 0 },
      locations: [{ physicalLocation: physical(report, location, options) }],
    })),
  );
  return {
    executionSuccessful: problems.length === 0,
    exitCode,
    toolExecutionNotifications: [...errors, ...notEvaluated, ...notes],
  };
}

function result(report: JudgedReport, finding: Finding, fingerprint: string, options: FormatOptions): object {
  const { rule, message, help, node_id, related, location } = finding;
  const workflow = report.report.workflow_id ?? report.file;
  const logical = node_id === undefined ? {} : { logicalLocations: [logicalLocation(workflow, node_id)] };
  const places = related.filter(place => place.location !== undefined);
  return {
    ruleId: rule,
    ruleIndex: INDEX.get(rule) ?? 0,
    level: findingLevel(report, finding),
    message: { text: plain(sentences(message, help)) },
    locations: [{ physicalLocation: physical(report, location ?? { line: 1, column: 1 }, options), ...logical }],
    ...(places.length === 0
      ? {}
      : { relatedLocations: places.map((place, id) => relatedPlace(report, place, id, options)) }),
    partialFingerprints: { 'arsFinding/v1': fingerprint },
    properties: { pointer: finding.pointer, severity: finding.severity, document: report.document },
  };
}

function relatedPlace(
  report: JudgedReport,
  { location, message }: RelatedPlace,
  id: number,
  options: FormatOptions,
): object {
  const physicalLocation = physical(report, location ?? { line: 1, column: 1 }, options);
  return { id, message: { text: plain(message) }, physicalLocation };
}

/** Text in which a viewer finds no link, whatever names of a document are quoted. */
function plain(text: string): string {
  return text.replaceAll('](', '] (');
}

function logicalLocation(workflow: string, node_id: string): object {
  return { name: node_id, fullyQualifiedName: `${workflow}/${node_id}`, kind: 'member' };
}

/** The file alone where no place in it is known. */
function physical({ file }: JudgedReport, location: Location | undefined, options: FormatOptions): object {
  if (location === undefined) return { artifactLocation: artifact(file, options) };
  const { line, column, end_line = line, end_column = column } = location;
  const end = end_line > line || end_column > column ? { endLine: end_line, endColumn: end_column } : {};
  return {
    artifactLocation: artifact(location.file ?? file, options),
    region: { startLine: line, startColumn: column, ...end },
  };
}

function artifact(file: string, { paths }: FormatOptions): object {
  const uri = sourceUri(file, paths);
  return uri.startsWith('file:') ? { uri } : { uri, uriBaseId: ROOT };
}
