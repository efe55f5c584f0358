import { createPrivateKey, X509Certificate } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createReader, errorMessage } from '@muster/schema';
import { type Static, Type } from '@sinclair/typebox';
import { parseAllDocuments } from 'yaml';

const UNITS = ['release-image', 'crio-configure', 'kubelet', 'bootkube', 'approve-csr', 'progress'];
const FILES = [
  '/root/.docker/config.json',
  '/opt/openshift/auth/kubeconfig',
  '/opt/openshift/auth/kubeconfig-kubelet',
  '/opt/openshift/auth/kubeconfig-loopback',
  '/opt/openshift/tls/service-account.key',
  '/opt/openshift/manifests/cluster-config.yaml',
  '/opt/openshift/manifests/cluster-infrastructure-02-config.yml',
  '/opt/openshift/manifests/cvo-overrides.yaml',
  '/opt/openshift/openshift/openshift-install-manifests.yaml',
];
const MULTI_NODE_MARK = '/opt/openshift/assisted-install-bootstrap';
/** Certificate → the bundle that must verify it. File names without extension. */
const CERTIFICATES: readonly (readonly [string, string])[] = [
  ['machine-config-server', 'root-ca'],
  ['admin-kubeconfig-client', 'admin-kubeconfig-ca-bundle'],
  ['kube-apiserver-lb-server', 'kube-apiserver-lb-ca-bundle'],
  ['kubelet-client', 'kubelet-bootstrap-kubeconfig-ca-bundle'],
];

/**
 * Checks the files that the bootstrap needs.
 * @throws with everything that is missing or wrong
 */
export function checkBootstrapRoot(root: string, isSingleNode: boolean): void {
  const wrong: string[] = [];
  const read = (path: string): string => {
    if (existsSync(join(root, path))) return readFileSync(join(root, path), 'utf8');
    wrong.push(`${path} is missing`);
    return '';
  };
  FILES.forEach(read);
  if (existsSync(join(root, MULTI_NODE_MARK)) === isSingleNode)
    wrong.push(`${MULTI_NODE_MARK} ${isSingleNode ? 'must not be there' : 'is missing'}`);
  for (const unit of UNITS) {
    const script = /^ExecStart=(\S+)$/m.exec(read(`/etc/systemd/system/${unit}.service`))?.[1];
    if (!script || read(script) === '') continue;
    if ((statSync(join(root, script)).mode & 0o111) === 0) wrong.push(`${script} cannot be executed`);
  }
  for (const [name, bundle] of CERTIFICATES) {
    const [certificate, key, authority] = [`${name}.crt`, `${name}.key`, `${bundle}.crt`].map((file) =>
      read(`/opt/openshift/tls/${file}`),
    );
    if (certificate && key && authority && !belongTogether(certificate, key, authority))
      wrong.push(`/opt/openshift/tls/${name}.crt does not fit its key or its authority`);
  }
  for (const { path, problems } of unreadableManifests(root)) wrong.push(`${path}: ${problems}`);
  if (wrong.length > 0) throw new Error(`The bootstrap config cannot bring up a cluster: ${wrong.join('; ')}.`);
}

function belongTogether(certificate: string, key: string, authority: string): boolean {
  const leaf = new X509Certificate(certificate);
  const issuer = new X509Certificate(authority);
  return leaf.checkPrivateKey(createPrivateKey(key)) && leaf.checkIssued(issuer) && leaf.verify(issuer.publicKey);
}

/** Every document of every manifest has a kind. */
export function manifestsIn(
  root: string,
): readonly { readonly path: string; readonly documents: readonly Manifest[] }[] {
  return ['manifests', 'openshift'].flatMap((folder) => {
    const place = join(root, '/opt/openshift', folder);
    const names = existsSync(place) ? readdirSync(place).sort() : [];
    return names.map((name) => {
      const documents = parseAllDocuments(readFileSync(join(place, name), 'utf8'));
      const read = Array.isArray(documents) ? documents : [];
      return { path: `${folder}/${name}`, documents: read.map((document) => readManifest(document.toJS() ?? {})) };
    });
  });
}

const MANIFEST = Type.Object({
  kind: Type.Optional(Type.String()),
  metadata: Type.Optional(
    Type.Object({
      name: Type.Optional(Type.String()),
      labels: Type.Optional(Type.Record(Type.String(), Type.String())),
    }),
  ),
  spec: Type.Optional(Type.Object({ config: Type.Optional(Type.Unknown()) })),
  status: Type.Optional(Type.Unknown()),
  data: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});
export type Manifest = Static<typeof MANIFEST>;
const readManifest = createReader(MANIFEST, { name: 'the manifest', nullIsAbsent: true });

function unreadableManifests(root: string): readonly { readonly path: string; readonly problems: string }[] {
  try {
    return manifestsIn(root)
      .filter(({ documents }) => documents.length === 0 || documents.some((document) => !document?.kind))
      .map(({ path }) => ({ path, problems: 'holds a document without kind' }));
  } catch (error) {
    return [{ path: 'a manifest', problems: errorMessage(error) }];
  }
}

const AGENT_UNIT = '/etc/systemd/system/agent.service';
const AGENT_WANTED = '/etc/systemd/system/multi-user.target.wants/agent.service';

/** Checks that a live system registers: an enabled agent, and every program that it needs. */
export function checkDiscoveryRoot(root: string): void {
  const place = join(root, AGENT_UNIT);
  if (!existsSync(place)) throw new Error(`The image starts no agent: ${AGENT_UNIT} is missing.`);
  if (!lstatSync(join(root, AGENT_WANTED), { throwIfNoEntry: false }))
    throw new Error('The image does not start its agent: the unit is not enabled.');
  const programs = [...readFileSync(place, 'utf8').matchAll(/^ExecStartPre=(\/usr\/local\/bin\/\S+)/gm)];
  for (const [, program = ''] of programs)
    if (!existsSync(join(root, program)))
      throw new Error(`The agent needs ${program}, which the image does not contain.`);
}

export const ENCAPSULATED_PATH = '/etc/ignition-machine-config-encapsulated.json';
const HOST_NAME = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/;

/**
 * Checks that an installed system has the configuration of its pool and its own name.
 * @throws with what is missing
 */
export function checkNodeRoot(root: string): void {
  const read = (path: string): string | undefined =>
    existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined;
  const name = read('/etc/hostname')?.trim() ?? '';
  if (!HOST_NAME.test(name) || name === 'localhost')
    throw new Error(`The installed system has no name that a node could have: "${name}".`);
  if (read(ENCAPSULATED_PATH) === undefined)
    throw new Error('The installed system did not get the configuration of its pool.');
}
