/** What an author of an adapter in TypeScript needs. */

export { AdapterError, type ErrorFacts } from '../wire/kinds.js';
export type { Exchange, RequestName, RequestTypes } from '../wire/methods.js';
export type { Adapter, AdapterHost, AdapterSource, Call, Handler } from './adapter.js';
export { type ServeOptions, serve } from './serve.js';
