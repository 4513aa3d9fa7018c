import type { Format } from './format.js';

/** Every format of `ars verify`; each is loaded when it is asked for. */
export const FORMATS = {
  text: async () => (await import('./text.js')).text,
  json: async () => (await import('./json.js')).json,
  sarif: async () => (await import('./sarif.js')).sarif,
  junit: async () => (await import('./junit.js')).junit,
  github: async () => (await import('./github.js')).github,
  markdown: async () => (await import('./markdown.js')).markdown,
} as const satisfies Readonly<Record<string, () => Promise<Format>>>;

/** The name of a format. */
export type FormatName = keyof typeof FORMATS;

/** The names of all formats. */
export const FORMAT_NAMES = Object.keys(FORMATS) as readonly FormatName[];
