import type { InitializeResult } from '../../schemas/types.js';
import { SuiteError } from '../error.js';
import type { Connection } from './worker.js';

/** A connection to a runtime that does these things, and nothing else. */
export function fakeConnection(identity: InitializeResult, does: Partial<Connection> = {}): Connection {
  const refuse = () => Promise.reject(new SuiteError('suite_bug', 'not used here'));
  const nothing = () => Promise.resolve();
  return {
    identity,
    observe: refuse,
    approach: refuse,
    converse: refuse,
    play: refuse,
    verify: refuse,
    kill: nothing,
    close: nothing,
    ...does,
  };
}
