import { expect, it } from 'vitest';
import { refusalOf, refusalText } from './system-refusal.js';

const refused = (message: string, more: object): Error => Object.assign(new Error(message), more);

it('says what was tried, where, why it was refused and what to do', () => {
  const full = refused('ENOSPC: no space left on device, write', { code: 'ENOSPC', syscall: 'write' });
  expect(refusalText(full)).toBe('cannot write a file: the disk is full; make room on it, and call it again (ENOSPC)');
  const folder = refused('EISDIR: …', { code: 'EISDIR', syscall: 'open', path: 'a\u001b[31m' });
  expect(refusalText(folder)).toMatch(/^cannot open "a\\u\{1b\}\[31m": it is a folder, and a file is wanted; /);
});

it('gives what it does not know in the words of the system', () => {
  const other = refused('EPROTO: protocol error\u0007', { code: 'EPROTO', syscall: 'read' });
  expect([refusalText(other), refusalOf(other)]).toEqual([refusalOf(other), refusalOf(other)]);
  expect(refusalOf(other)).toMatch(/^EPROTO: protocol error\\u/);
});
