import { createJsonReader, keysOf, recordOf } from '@muster/schema';
import { type Static, Type } from '@sinclair/typebox';
import { AUTHORITIES, BUNDLES, CERTIFICATES, type PkiInput, serverNames } from './certificates.table';
import { createAuthority, createEcKeys, createRsaKeys, issueCertificate, type KeyPairPem } from './issue-certificate';

export type PairName = (typeof AUTHORITIES)[number]['name'] | (typeof CERTIFICATES)[number]['name'];

const PAIR_NAMES: readonly PairName[] = [...AUTHORITIES, ...CERTIFICATES].map(({ name }) => name);

const KEY_PAIR = Type.Object({ certificatePem: Type.String(), privateKeyPem: Type.String() });
const SIGNING_KEYS = Type.Object({ publicKeyPem: Type.String(), privateKeyPem: Type.String() });

const CLUSTER_PKI = Type.Object({
  pairs: Type.Object(recordOf(PAIR_NAMES, () => KEY_PAIR)),
  /** Keys that sign the tokens of service accounts. */
  accounts: Type.Object({ 'service-account': SIGNING_KEYS, 'bound-service-account-signing-key': SIGNING_KEYS }),
});

/** Certificates and keys of a new cluster, as plain JSON. A secret. */
export type ClusterPki = Static<typeof CLUSTER_PKI>;

/** The certificates and keys of a cluster from their sealed text. @throws Error when the text is damaged */
export const readClusterPki = createJsonReader(CLUSTER_PKI, { name: 'the sealed cluster PKI' });

/** Creates new keys at every call. Certificates are valid from one hour before `startedAt`, because clocks of new hosts may be slow. */
export async function createClusterPki(input: PkiInput): Promise<ClusterPki> {
  const accounts = Promise.all([createEcKeys(), createRsaKeys()]);
  const pairs = new Map<PairName, KeyPairPem>();
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
    pairs: recordOf(PAIR_NAMES, (name) => pairOf(pairs, name)),
    accounts: { 'service-account': account, 'bound-service-account-signing-key': bound },
  };
}

/** Returns the certificates of all authorities of a bundle as PEM. */
export function bundleOf({ pairs }: ClusterPki, name: keyof typeof BUNDLES): string {
  return BUNDLES[name].map((authority) => pairs[authority].certificatePem).join('');
}

function pairOf(pairs: ReadonlyMap<PairName, KeyPairPem>, name: PairName): KeyPairPem {
  const pair = pairs.get(name);
  if (!pair) throw new Error(`No certificate was issued for ${name}.`);
  return pair;
}

/** Returns all files by name: `.crt`, `.key`, `.pub`. */
export function pkiFiles(pki: ClusterPki): ReadonlyMap<string, string> {
  return new Map([
    ...Object.entries(pki.pairs).flatMap(([name, pair]): [string, string][] => [
      [`${name}.crt`, pair.certificatePem],
      [`${name}.key`, pair.privateKeyPem],
    ]),
    ...keysOf(BUNDLES).map((name): [string, string] => [`${name}.crt`, bundleOf(pki, name)]),
    ...Object.entries(pki.accounts).flatMap(([name, keys]): [string, string][] => [
      [`${name}.key`, keys.privateKeyPem],
      [`${name}.pub`, keys.publicKeyPem],
    ]),
  ]);
}
