/** The ids of all actions that come with ars, for those who only name them. */
export const BUILTIN_IDS: readonly string[] = [
  'file.read',
  'file.create',
  'file.write',
  'file.remove',
  'file.restore',
  'http.get',
  'http.send',
  'process.run',
  'process.read',
];
