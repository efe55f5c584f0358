import type { SettingsReader } from '../environment';

/** Ways to know who is asking. `oidc` trusts an issuer; `agent-installer-local` is that of a site that installs itself. */
export const AUTH_TYPES = ['none', 'local', 'agent-installer-local', 'oidc'] as const;
export type AuthType = (typeof AUTH_TYPES)[number];

/** The field's name for an issuer of its own. */
const SAME_AS_OIDC = 'rhsso';

/** Setting AUTH_TYPE. Throws SettingError when it is none of them. */
export function readAuthType(settings: SettingsReader): AuthType {
  const read = settings.choice('AUTH_TYPE', [...AUTH_TYPES, SAME_AS_OIDC], 'none');
  return read === SAME_AS_OIDC ? 'oidc' : read;
}
