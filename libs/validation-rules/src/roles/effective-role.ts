export const AUTO_ASSIGN = 'auto-assign';

/** Returns the role that counts: the role set by a user, else the suggested one. */
export function effectiveRole(role: string, suggestedRole: string): string {
  return role === AUTO_ASSIGN && suggestedRole !== '' ? suggestedRole : role;
}
