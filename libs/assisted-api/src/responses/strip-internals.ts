/** The document without members that start with an underscore, and without those named. */
export function stripInternals<Document extends object>(
  document: Document,
  unshown: readonly string[] = [],
): { [member: string]: unknown } {
  const shown: { [member: string]: unknown } = {};
  for (const [member, value] of Object.entries(document)) {
    if (!member.startsWith('_') && value !== undefined && !unshown.includes(member)) shown[member] = value;
  }
  return shown;
}
