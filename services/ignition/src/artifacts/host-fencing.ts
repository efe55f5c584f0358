import { hostSecretName } from '@muster/contracts';
import type { FencingCredentials } from '@muster/ignition-config';
import type { Secrets } from '@muster/ports';
import type { HostEntry } from '../view/install-view';

/** How the power of a host is cut, as a person gave it; undefined when nobody did. Holds a password. */
export async function fencingOf(
  secrets: Pick<Secrets, 'open'>,
  { state }: Pick<HostEntry, 'state'>,
): Promise<FencingCredentials | undefined> {
  const { infraEnvId, hostId, settings } = state;
  if (!settings.fencingCredentialsSet) return undefined;
  const sealed = await secrets.open(infraEnvId, hostSecretName(hostId, 'fencing-credentials'));
  if (!sealed?.length) return undefined;
  // Sealed by the registration, in the words of the contract.
  const given = JSON.parse(sealed.toString('utf8')) as { readonly [field: string]: string | undefined };
  return {
    address: given['address'] ?? '',
    username: given['username'] ?? '',
    password: given['password'] ?? '',
    certificateVerification: given['certificate_verification'] ?? '',
    ...(given['mac_address'] ? { macAddress: given['mac_address'] } : {}),
  };
}
