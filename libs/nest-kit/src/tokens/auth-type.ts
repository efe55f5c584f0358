import type { SettingsReader } from '../settings/settings-reader';

/** How callers authenticate. `oidc` trusts an issuer; `agent-installer-local` is the type of a site that installs itself. */
export type AuthType = 'none' | 'local' | 'agent-installer-local' | 'oidc';

/** Setting AUTH_TYPE; `rhsso` is the name that assisted-service v2 gives to `oidc`. */
export function readAuthType(settings: SettingsReader): AuthType {
  const read = settings.get('AUTH_TYPE');
  return read === 'rhsso' ? 'oidc' : read;
}
