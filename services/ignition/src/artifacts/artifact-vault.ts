import type { Artifact, Plain } from '@muster/contracts';
import { certificatesFault, splitCertificates } from '@muster/ignition-config';
import { OBJECT_STORE, SECRETS } from '@muster/nest-kit';
import type { ObjectStore, Secrets } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { Inject, Injectable } from '@nestjs/common';
import { ArtifactsRefused, type KeepSecret, type MadeArtifact } from '../toolchain/toolchain.port';

/** Names of the artifacts of a cluster. Each host has one more. */
export const ARTIFACT_NAMES = [
  'bootstrap.ign',
  'master.ign',
  'worker.ign',
  'arbiter.ign',
  'metadata.json',
  'install-config.yaml',
  'custom_manifests.json',
  'custom_manifests.yaml',
  'kubeconfig',
  'kubeconfig-noingress',
  'kubeadmin-password',
] as const;

const HOST_ARTIFACT = /^(master|worker|arbiter)-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.ign$/;

export function isArtifactName(name: string): boolean {
  return ARTIFACT_NAMES.some((known) => known === name) || HOST_ARTIFACT.test(name);
}

export function hostArtifactName(role: string, hostId: string): string {
  return `${role}-${hostId}.ign`;
}

const BUNDLE_BYTES_MAX = 256 * 1024;

/**
 * Returns the certificates of the text as PEM without other content.
 * @throws RefusalError (400) when there is none or one is not valid
 */
export function parseCertificateBundle(bundle: Buffer): string {
  const refuse = (reason: string): RefusalError =>
    new RefusalError({
      code: 'invalid-input',
      reason: `The ingress certificate cannot be used: ${reason}`,
      subject: 'ingress_cert_params',
    });
  if (bundle.length > BUNDLE_BYTES_MAX)
    throw refuse(`it has ${bundle.length} bytes. Allowed: at most ${BUNDLE_BYTES_MAX}.`);
  const certificates = splitCertificates(bundle.toString('latin1'));
  const pem = certificates.map((certificate) => `${certificate}\n`).join('');
  const fault = certificatesFault(pem);
  if (fault !== undefined) throw refuse(fault);
  return pem;
}

/**
 * One reply on the bus has at most 8 MiB, in base64. A bootstrap config of 1,000 bare-metal hosts has about 4.2 MB at most, because the
 * resources of many hosts have fewer details; large manifests increase it.
 */
const ARTIFACT_BYTES_MAX = 5 * 1024 * 1024;
const DESTROYED = Buffer.alloc(0);
/** Each attempt looks for what the ones before it have left, so a few of them suffice. */
const EARLIER_ATTEMPTS_MAX = 20;

/** Stores artifacts: public ones in the object store by digest, the others sealed in the scope of their cluster. */
@Injectable()
export class ArtifactVault {
  constructor(
    @Inject(OBJECT_STORE) private readonly objectStore: ObjectStore,
    @Inject(SECRETS) private readonly secrets: Secrets,
  ) {}

  /** Seals secrets that have another value at each creation. A repeated attempt gets the sealed value. */
  keeperFor(clusterId: string, attempt: number): KeepSecret {
    return async (name, make) => {
      const sealedName = keptNameOf(attempt, name);
      const known = await this.secrets.open(clusterId, sealedName);
      if (known?.length) return known;
      const made = await make();
      await this.secrets.seal(clusterId, sealedName, made);
      return made;
    };
  }

  /**
   * The artifact is durable when it resolves. Storing it again has no effect.
   * @throws ArtifactsRefused when it is larger than a download may be
   */
  async store(clusterId: string, attempt: number, { name, content, isSecret }: MadeArtifact): Promise<Plain<Artifact>> {
    if (content.length > ARTIFACT_BYTES_MAX)
      throw new ArtifactsRefused(
        `${name} has ${content.length} bytes. Allowed: at most ${ARTIFACT_BYTES_MAX}. Remove large manifests, overrides or hosts and start the installation again.`,
      );
    if (!isSecret) return { name, sealed: false, body: await this.objectStore.put(content, ARTIFACT_BYTES_MAX) };
    await this.secrets.seal(clusterId, nameOf(attempt, name), content);
    return { name, sealed: true };
  }

  /** Returns undefined when the artifact does not exist any more. */
  async read(clusterId: string, attempt: number, { name, sealed, body }: Plain<Artifact>): Promise<Buffer | undefined> {
    const content = sealed
      ? await this.secrets.open(clusterId, nameOf(attempt, name))
      : await this.objectStore.get(body?.digest ?? '');
    return content?.length ? content : undefined;
  }

  /** Overwrites sealed artifacts, and the kept secrets that exist. The key of the scope stays, because it also seals the pull secret. */
  async discard(
    clusterId: string,
    attempt: number,
    artifacts: readonly Plain<Artifact>[],
    keptSecrets: readonly string[],
  ): Promise<void> {
    for (const { name, sealed, body } of artifacts) {
      if (sealed) await this.secrets.seal(clusterId, nameOf(attempt, name), DESTROYED);
      else if (body) await this.objectStore.remove(body.digest);
    }
    for (const name of keptSecrets) await this.destroy(clusterId, keptNameOf(attempt, name));
  }

  /** Overwrites the keys and passwords that earlier attempts have left, because the service did not run at their end. */
  async discardBefore(clusterId: string, attempt: number, keptSecrets: readonly string[]): Promise<void> {
    for (let earlier = Math.max(1, attempt - EARLIER_ATTEMPTS_MAX); earlier < attempt; earlier += 1) {
      const names = ARTIFACT_NAMES.map((name) => nameOf(earlier, name));
      const kept = keptSecrets.map((name) => keptNameOf(earlier, name));
      for (const name of [...names, ...kept]) await this.destroy(clusterId, name);
    }
  }

  private async destroy(clusterId: string, sealedName: string): Promise<void> {
    const known = await this.secrets.open(clusterId, sealedName);
    if (known?.length) await this.secrets.seal(clusterId, sealedName, DESTROYED);
  }

  /** Destroys the key of a deleted cluster. Then its sealed values cannot be opened any more. */
  async shred(clusterId: string): Promise<void> {
    await this.secrets.shred(clusterId);
  }
}

const nameOf = (attempt: number, name: string): string => `artifacts/${attempt}/${name}`;
const keptNameOf = (attempt: number, name: string): string => `${nameOf(attempt, name)}/kept`;
