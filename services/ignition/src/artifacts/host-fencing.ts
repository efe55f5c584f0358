import { hostSecretName } from '@muster/contracts';
import type { FencingCredentials } from '@muster/ignition-config';
import type { Secrets } from '@muster/ports';
import type { HostEntry } from '../view/install-view';

/** The fencing credentials that a user set for a host; undefined without any. Contains a password. */
export async function fencingOf(
  secrets: Pick<Secrets, 'open'>,
  { state }: Pick<HostEntry, 'state'>,
): Promise<FencingCredentials | undefined> {
  const { infraEnvId, hostId, settings } = state;
  if (!settings.fencingCredentialsSet) return undefined;
  const sealed = await secrets.open(infraEnvId, hostSecretName(hostId, 'fencing-credentials'));
  if (!sealed?.length) return undefined;
  // The registration service sealed them with the field names of the v2 API.
  const given = JSON.parse(sealed.toString('utf8')) as { readonly [field: string]: string | undefined };
  return {
    address: given['address'] ?? '',
    username: given['username'] ?? '',
    password: given['password'] ?? '',
    certificateVerification: given['certificate_verification'] ?? '',
    ...(given['mac_address'] ? { macAddress: given['mac_address'] } : {}),
  };
}
