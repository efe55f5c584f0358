import { AUTHORITIES, BUNDLES, CERTIFICATES, type PkiInput, serverNames } from './certificates.table';
import {
  createAuthority,
  createEcKeys,
  createRsaKeys,
  issueCertificate,
  type KeyPairPem,
  type SigningKeysPem,
} from './issue-certificate';

export type PairName = (typeof AUTHORITIES)[number]['name'] | (typeof CERTIFICATES)[number]['name'];

/** Certificates and keys of a new cluster, as plain JSON. A secret. */
export interface ClusterPki {
  readonly pairs: { readonly [name in PairName]: KeyPairPem };
  /** Keys that sign the tokens of service accounts. */
  readonly accounts: { readonly [name in AccountKeysName]: SigningKeysPem };
}
export type AccountKeysName = 'service-account' | 'bound-service-account-signing-key';

/** Creates new keys at every call. Certificates are valid from one hour before `startedAt`, because clocks of new hosts may be slow. */
export async function createClusterPki(input: PkiInput): Promise<ClusterPki> {
  const accounts = Promise.all([createEcKeys(), createRsaKeys()]);
  const pairs = new Map<string, KeyPairPem>();
  const authorities = new Map<string, Awaited<ReturnType<typeof createAuthority>>>();
  for (const row of AUTHORITIES) {
    const authority = await createAuthority(row, input.startedAt);
    authorities.set(row.name, authority);
    pairs.set(row.name, authority.pem);
  }
  for (const row of CERTIFICATES) {
    const authority = authorities.get(row.authority);
    if (!authority) throw new Error(`The certificate ${row.name} names an unknown authority.`);
    const place = 'server' in row ? row.server : undefined;
    const names = place ? serverNames(place, input) : [];
    pairs.set(row.name, await issueCertificate({ ...row, names }, authority, input.startedAt));
  }
  const [account, bound] = await accounts;
  return {
    pairs: Object.fromEntries(pairs) as unknown as ClusterPki['pairs'],
    accounts: { 'service-account': account, 'bound-service-account-signing-key': bound },
  };
}

/** Returns the certificates of all authorities of a bundle as PEM. @throws Error for an unknown bundle. */
export function bundleOf({ pairs }: ClusterPki, name: keyof typeof BUNDLES): string {
  const authorities = BUNDLES[name];
  if (!authorities) throw new Error(`Unknown certificate bundle '${name}'.`);
  return authorities.map((authority) => pairs[authority as PairName].certificatePem).join('');
}

/** Returns all files by name: `.crt`, `.key`, `.pub`. */
export function pkiFiles(pki: ClusterPki): ReadonlyMap<string, string> {
  return new Map([
    ...Object.entries(pki.pairs).flatMap(([name, pair]): [string, string][] => [
      [`${name}.crt`, pair.certificatePem],
      [`${name}.key`, pair.privateKeyPem],
    ]),
    ...Object.keys(BUNDLES).map((name): [string, string] => [`${name}.crt`, bundleOf(pki, name)]),
    ...Object.entries(pki.accounts).flatMap(([name, keys]): [string, string][] => [
      [`${name}.key`, keys.privateKeyPem],
      [`${name}.pub`, keys.publicKeyPem],
    ]),
  ]);
}
