import { AUTHORITIES, BUNDLES } from './authorities.table';
import { CERTIFICATES } from './certificates.table';
import { createAuthority, issueCertificate, type KeyPairPem } from './issue-certificate';
import { createEcKeys, createRsaKeys, type SigningKeysPem } from './service-account-keys';
import { serverNames } from './server-names';

export type PairName = (typeof AUTHORITIES)[number]['name'] | (typeof CERTIFICATES)[number]['name'];

/** What a new cluster trusts and is trusted by. A secret; plain JSON. */
export interface ClusterPki {
  readonly pairs: { readonly [name in PairName]: KeyPairPem };
  /** Keys that sign the tokens of service accounts. */
  readonly accounts: { readonly [name in AccountKeysName]: SigningKeysPem };
}
export type AccountKeysName = 'service-account' | 'bound-service-account-signing-key';

export interface PkiInput {
  /** `<cluster>.<base domain>` */
  readonly domain: string;
  /** VIPs of the API. */
  readonly addresses: readonly string[];
  /** CIDRs; the API has the first address of each. */
  readonly serviceNetworks: readonly string[];
  /** ISO 8601. */
  readonly startedAt: string;
}

/** Makes keys: never the same twice. Certificates count from an hour before `startedAt`, as clocks of new hosts may be behind. */
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
    if (!authority) throw new Error(`The certificate ${row.name} names an authority that does not exist.`);
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

/** Certificates of all authorities of a bundle, as PEM. Throws for a bundle that does not exist. */
export function bundleOf({ pairs }: ClusterPki, name: keyof typeof BUNDLES): string {
  const authorities = BUNDLES[name];
  if (!authorities) throw new Error(`There is no bundle ${name}.`);
  return authorities.map((authority) => pairs[authority as PairName].certificatePem).join('');
}

/** Everything as files by name: `.crt`, `.key`, `.pub`. */
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
