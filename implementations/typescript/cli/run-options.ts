import { Option } from 'commander';

/** What `ars run` was told beside files. */
export interface RunOptions {
  readonly input: readonly string[];
  readonly registry: readonly string[];
  readonly workflow?: string;
  readonly inputs?: string;
  readonly workspace: string;
  readonly actions?: string;
  readonly agent: string;
  readonly resume?: string | true;
  readonly requestKey?: string;
  readonly maxParallel?: number;
  readonly confirm?: 'yes' | true;
  readonly dryRun?: boolean;
  readonly quiet?: boolean;
  readonly format: 'text' | 'json';
}

/** An option that may be given several times; what it was given, in order. */
export function repeated(flags: string, description: string): Option {
  const gather = (text: string, before: readonly string[]) => [...before, text];
  return new Option(flags, description).argParser(gather).default([], 'none');
}
