/** Who does the ten-step workflow, or the work that it is compared with. */
export interface Subject {
  readonly name: string;
  /** What a reader has to know to read its figure rightly: the version, and what a step crosses on its way to the disk. */
  readonly note: string;
  /** Does the workflow so many times, so many at once, each to its end. */
  run(instances: number, parallel: number): Promise<void>;
  close(): Promise<void>;
}

/** How many steps the workflow has. */
export const STEPS = 10;

/** Calls `one` for 0, 1, … so many times, at most `parallel` at once. */
export async function drive(count: number, parallel: number, one: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) {
      const index = next;
      next += 1;
      await one(index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(parallel, count) }, lane));
}
