import type { DoctorReport } from '../harness/doctor.js';
import { colorsOf } from './color.js';

/** Gives what the doctor found, one line a check, with what to do about what is wrong. */
export function diagnosisText(report: DoctorReport, color: boolean): string {
  const colors = colorsOf(color);
  const lines = report.diagnoses.map(({ id, ok, finding, fix }) => {
    const word = ok ? colors.green('ok  ') : colors.red('bad ');
    return `${word} ${id.padEnd(14)} ${finding}${fix === undefined ? '' : `\n     ${' '.repeat(14)} ${fix}`}`;
  });
  if (report.scale !== 1)
    lines.push(`Limits of time want the factor ${report.scale}: run with --scale ${report.scale}.`);
  return `${lines.join('\n')}\n`;
}
