import type { WriteStream } from 'node:tty';
import type { Progress } from '../runner/run.js';

/** Gives the one line that says how far a run is, cut to the width of the terminal. */
export function progressLine(progress: Progress, width: number): string {
  const share = progress.properties === 0 ? 1 : progress.done / progress.properties;
  const bar = '█'.repeat(Math.round(share * 20)).padEnd(20, '░');
  const failed = progress.failed === 0 ? '' : `, ${progress.failed} failed`;
  const counts = `${progress.done}/${progress.properties} properties, ${progress.cases} cases, ${progress.kills} kills${failed}`;
  return `${bar} ${counts}  ${progress.current.join(' ')}`.slice(0, Math.max(0, width - 1));
}

/** Gives a function that shows progress in place on a terminal, and one that wipes it; neither writes anywhere else. */
export function liveProgress(stream: WriteStream): { show(progress: Progress): void; clear(): void } {
  if (!stream.isTTY) return { show: () => undefined, clear: () => undefined };
  let last = 0;
  return {
    show(progress) {
      const now = performance.now();
      if (now - last < 80 && progress.done < progress.properties) return;
      last = now;
      stream.write(`\r\x1b[2K${progressLine(progress, stream.columns ?? 80)}`);
    },
    clear: () => void stream.write('\r\x1b[2K'),
  };
}
