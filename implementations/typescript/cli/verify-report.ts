import { validate } from '../../../schemas/index.js';
import type { Finding, Location, Registry, RuleStatus, VerificationReport } from '../../../schemas/types.js';
import { BUILTIN_IDS } from '../builtin/ids.js';
import { type Note, verify, verifyTogether } from '../verification/index.js';
import type { SourceDocument } from '../workspace/document.js';
import { placeOfNamed } from './named-part.js';

const UNKNOWN_INPUT = /, which does not take it$/;

/** The report of one document of a file, with the place of every finding. */
export interface DocumentReport {
  readonly file: string;
  /** Which document of the file it is, from 0. */
  readonly document: number;
  readonly report: VerificationReport;
  /** What is no finding and yet likely to be a slip. */
  readonly notes: readonly LocatedNote[];
}

/** A note and its place in the text. */
export interface LocatedNote extends Note {
  readonly location: Location;
}

/**
 * Returns the reports of documents that are verified together; where the text of one is not readable, a report of that,
 * under the id SCHEMA.
 */
export function reportOnAll(documents: readonly SourceDocument[], registry?: Registry): DocumentReport[] {
  const readable = documents.filter(document => document.defects.length === 0);
  const notesOf = new Map<SourceDocument, LocatedNote[]>();
  const verified = verifyTogether(
    readable.map(document => document.value),
    registry,
    BUILTIN_IDS,
    (at, notes) => {
      const document = readable[at] as SourceDocument;
      if (notes.length > 0)
        notesOf.set(
          document,
          notes
            .map(note => ({ ...note, location: document.locate(note.pointer) }))
            .sort(({ location: a }, { location: b }) => a.line - b.line || a.column - b.column),
        );
    },
  );
  const reports = new Map(readable.map((document, at) => [document, verified[at]]));
  const firstOf = new Map<string, string>();
  return documents.map(document => {
    const report = reports.get(document);
    return {
      file: document.file,
      document: document.index,
      report: report === undefined ? unreadable(document) : withOther(located(document, report), document, firstOf),
      notes: notesOf.get(document) ?? [],
    };
  });
}

/** Returns a report that says where the document is that has its name and version already. */
function withOther(
  report: VerificationReport,
  { file, locate }: SourceDocument,
  firstOf: Map<string, string>,
): VerificationReport {
  const id = report.workflow_id;
  if (id === undefined) return report;
  const { line, column } = locate('/workflow/name');
  const first = firstOf.get(id);
  if (first === undefined) firstOf.set(id, `${file}:${line}:${column}`);
  if (first === undefined) return report;
  const findings = report.findings.map(finding =>
    finding.rule === 'S5' && finding.pointer === '/workflow/name'
      ? { ...finding, help: `${finding.help.replace(/\.$/, '')}; the other one is at ${first}.` }
      : finding,
  );
  return { ...report, findings };
}

/** Returns the report of a document that is verified alone. */
export function reportOn(document: SourceDocument): DocumentReport {
  return reportOnAll([document])[0] as DocumentReport;
}

function unreadable(document: SourceDocument): VerificationReport {
  const template = verify(undefined);
  const findings = document.defects.map(
    ({ message, help, location, related }): Finding => ({
      rule: 'SCHEMA',
      severity: 'blocking',
      pointer: '',
      message,
      related: related === undefined ? [] : [{ pointer: '', ...related }],
      help,
      location,
    }),
  );
  const reason = 'the document cannot be read (SCHEMA)';
  const rules = template.rules.map((status): RuleStatus => ({ ...status, status: 'not_evaluated', reason }));
  return { ...template, findings, rules, counts: { blocking: findings.length, warning: 0 } };
}

function located(document: SourceDocument, report: VerificationReport): VerificationReport {
  const place = (pointer: string): Finding['location'] => document.locate(refine(document, pointer));
  const unknown = unknownProperties(document, report);
  const findings = report.findings.map(finding => ({
    ...finding,
    location:
      unknown.has(finding.pointer) || isAboutName(finding)
        ? document.locate(finding.pointer, 'key')
        : ((finding.rule === 'S8' ? placeOfNamed(document, finding) : undefined) ??
          firstLine(document, place(finding.pointer), finding)),
    related: finding.related.map(related => ({
      ...related,
      location: place(related.pointer) as NonNullable<Finding['location']>,
    })),
  }));
  return { ...report, findings: findings as Finding[] };
}

/** Of a finding about the whole document only its first line is shown. */
function firstLine(
  { source }: SourceDocument,
  place: Finding['location'],
  { rule, pointer }: Finding,
): Finding['location'] {
  if (rule !== 'SCHEMA' || pointer !== '' || place === undefined || place.end_line === place.line) return place;
  return { ...place, end_line: place.line, end_column: source.line(place.line).trimEnd().length + 1 };
}

/** Whether a finding is about the name of an input that something does not take, and not about its value. */
function isAboutName({ pointer, message }: Finding): boolean {
  return /\/input_mapping\/[^/]+$/.test(pointer) && UNKNOWN_INPUT.test(message);
}

/** Pointers of the properties that no schema knows: of these the key is shown, and not the value. */
function unknownProperties(document: SourceDocument, report: VerificationReport): Set<string> {
  if (!report.findings.some(finding => finding.rule === 'SCHEMA')) return new Set();
  const defects = validate('workflow', document.value).filter(defect => defect.keyword === 'additionalProperties');
  return new Set(defects.map(defect => defect.pointer));
}

/** A node is shown by its node_id; everything else where it is. */
function refine(document: SourceDocument, pointer: string): string {
  if (!/^\/nodes\/[0-9]+$/.test(pointer)) return pointer;
  const nodes = (document.value as { nodes?: readonly unknown[] }).nodes;
  const node = nodes?.[Number(pointer.slice('/nodes/'.length))];
  return typeof node === 'object' && node !== null && 'node_id' in node ? `${pointer}/node_id` : pointer;
}
