/** Returns the stack or the text of what was thrown, which may be anything: even looking at it may throw. */
export function thrownText(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? (thrown.stack ?? thrown.message) : thrown);
  } catch {
    return 'what was thrown cannot be read';
  }
}
