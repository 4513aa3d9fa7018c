import picomatch from 'picomatch';

/** Tells whether one of the patterns matches a path with slashes; a pattern without a slash is for the file's name alone. */
export function matchesAny(patterns: readonly string[], path: string): boolean {
  return patterns.some(pattern => picomatch(pattern, { dot: true, basename: !pattern.includes('/') })(path));
}
