import type { ComplianceReport } from '../../schemas/types.js';
import { escapeXml } from './escape.js';
import type { ProfileStanding } from './standing.js';

/** A badge in words, in the form that shields.io reads as an endpoint. */
export interface Badge {
  readonly schemaVersion: 1;
  readonly label: string;
  readonly message: string;
  readonly color: 'brightgreen' | 'yellow' | 'red' | 'lightgrey';
}

/** Gives the badge of a run: the highest profile that the runtime conforms to, else how it stands by the lowest that it claims. */
export function badge(report: ComplianceReport, standings: readonly ProfileStanding[]): Badge {
  const label = `ARS ${report.spec_version}`;
  const best = (word: ProfileStanding['standing']) => standings.findLast(({ standing }) => standing === word)?.profile;
  const failed = standings.some(({ standing }) => standing === 'does_not_conform') || report.exit_code === 1;
  const [whole, gaps] = [best('conforms'), best('conforms_with_gaps')];
  if (whole !== undefined && (!failed || gaps === undefined)) return made(label, whole, 'brightgreen');
  if (failed) return made(label, 'does not conform', 'red');
  if (gaps !== undefined) return made(label, `${gaps}, with gaps`, 'yellow');
  return made(label, 'not fully run', 'lightgrey');
}

function made(label: string, message: string, color: Badge['color']): Badge {
  return { schemaVersion: 1, label, message, color };
}

const FILL: Readonly<Record<Badge['color'], string>> = {
  brightgreen: '#1a7f37',
  yellow: '#8a6100',
  red: '#c4232b',
  lightgrey: '#5c6670',
};

/** How wide a character of the badge is drawn, and the space beside a text, in pixels. */
const [CHARACTER, SPACE] = [6.6, 16];

/** Gives the badge as a picture; its text is kept to a computed width, whatever the font. */
export function badgeSvg({ label, message, color }: Badge): string {
  const [left, right] = [label, message].map(text => Math.round(text.length * CHARACTER + SPACE)) as [number, number];
  const title = escapeXml(`${label}: ${message}`);
  const text = (word: string, x: number, width: number) =>
    `<text x="${x}" y="14" textLength="${width - SPACE}" lengthAdjust="spacingAndGlyphs">${escapeXml(word)}</text>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="${title}">`,
    `<title>${title}</title>`,
    `<clipPath id="r"><rect width="${left + right}" height="20" rx="4"/></clipPath>`,
    `<g clip-path="url(#r)"><rect width="${left}" height="20" fill="#3b434b"/><rect x="${left}" width="${right}" height="20" fill="${FILL[color]}"/></g>`,
    '<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">',
    text(label, left / 2, left),
    text(message, left + right / 2, right),
    '</g></svg>',
    '',
  ].join('\n');
}
