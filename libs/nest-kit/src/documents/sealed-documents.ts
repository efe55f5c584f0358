import { createHash } from 'node:crypto';
import { documentSecretName, type InfraEnvSettings, type Plain, type SealedDocument } from '@muster/contracts';
import type { GivenNetworks } from '@muster/ignition-config';
import type { Secrets } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { createJsonReader } from '@muster/schema';
import { Type } from '@sinclair/typebox';

/**
 * The reference to a user's document in events. Events contain no text of documents, because it may contain passwords
 * and may be long.
 */
export type DocumentReference = Plain<SealedDocument>;

/** The reference in an event that removes a document. */
export const NO_DOCUMENT: DocumentReference = { digest: '', bytes: 0 };

/** Returns the reference to a text. An empty text removes the document. */
export function referenceOf(text: string | Buffer): DocumentReference {
  if (text.length === 0) return NO_DOCUMENT;
  const content = Buffer.from(text);
  return { digest: `sha256:${createHash('sha256').update(content).digest('hex')}`, bytes: content.length };
}

/** Seals the text of a document. Durable when the promise resolves. `scope`: id of the cluster or infra-env. */
export async function sealDocument(secrets: Secrets, scope: string, text: string | Buffer): Promise<DocumentReference> {
  const reference = referenceOf(text);
  if (reference.digest !== '') await secrets.seal(scope, documentSecretName(reference.digest), Buffer.from(text));
  return reference;
}

/**
 * Returns the text of a document. Empty when there is none. `field` is used in the refusal.
 * @throws RefusalError `not-ready` when the sealed text is missing
 */
export async function openDocument(
  secrets: Pick<Secrets, 'open'>,
  scope: string,
  reference: Pick<DocumentReference, 'digest'> | undefined,
  field: string,
): Promise<string> {
  if (!reference?.digest) return '';
  const text = await secrets.open(scope, documentSecretName(reference.digest));
  if (text) return text.toString('utf8');
  throw new RefusalError({
    code: 'not-ready',
    reason: `The stored ${field} is missing. Set it again.`,
    subject: field,
  });
}

/**
 * Returns the static networks of an infra-env with the version of their hosts. Undefined without static networks.
 * @throws RefusalError `not-ready`
 */
export async function openNetworks(
  secrets: Pick<Secrets, 'open'>,
  infraEnvId: string,
  { staticNetworkConfig: reference, openshiftVersion = '' }: Plain<InfraEnvSettings>,
): Promise<GivenNetworks | undefined> {
  const staticNetworkConfig = await openDocument(secrets, infraEnvId, reference, 'static_network_config');
  return staticNetworkConfig === '' ? undefined : { staticNetworkConfig, openshiftVersion };
}

/**
 * Returns the additional trust bundle of an infra-env as PEM. Empty when it has none.
 * @throws RefusalError `not-ready`
 */
export async function openTrustBundle(
  secrets: Pick<Secrets, 'open'>,
  infraEnvId: string,
  { additionalTrustBundle, trustBundle }: Plain<InfraEnvSettings>,
): Promise<string> {
  return additionalTrustBundle || openDocument(secrets, infraEnvId, trustBundle, 'additional_trust_bundle');
}

/** The sealed HTTP headers of an Ignition endpoint, from their JSON text. @throws Error when the text is damaged */
export const readHttpHeaders = createJsonReader(Type.Record(Type.String(), Type.String()), {
  name: 'the stored HTTP headers',
});
