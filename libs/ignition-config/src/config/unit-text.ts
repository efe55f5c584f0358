/** `%` starts a specifier in every line of a unit. */
export function escapeUnitText(text: string): string {
  return text.replaceAll('%', '%%');
}

/** One `Environment=` line; quoted, so that no value can end it or start another one. */
export function environmentLine(name: string, value: string): string {
  const quoted = escapeUnitText(value)
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r');
  return `Environment="${name}=${quoted}"`;
}
