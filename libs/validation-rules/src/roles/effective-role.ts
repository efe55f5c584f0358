export const AUTO_ASSIGN = 'auto-assign';

/** The role a host counts as: what a person gave it, else what was suggested. */
export function effectiveRole(role: string, suggestedRole: string): string {
  return role === AUTO_ASSIGN && suggestedRole !== '' ? suggestedRole : role;
}
