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
