import type { TestRegistry } from './registry';

const COMPONENTS = 'openshift-release-dev/ocp-v4.0-art-dev';
const RELEASES = 'openshift-release-dev/ocp-release';
const LIST = 'application/vnd.docker.distribution.manifest.list.v2+json';
const MANIFEST = 'application/vnd.docker.distribution.manifest.v2+json';
/** Name of an architecture in images → in CoreOS and in tags of releases. */
const COREOS_ARCHITECTURES: ReadonlyMap<string, string> = new Map([
  ['amd64', 'x86_64'],
  ['arm64', 'aarch64'],
]);
const BASE_LAYER = { 'etc/os-release': 'ID="rhel"\nVERSION_ID="9.4"\n' };

export interface ReleaseContent {
  /** `4.18.3`. */
  readonly version: string;
  /** Content of `usr/bin/openshift-install`. Without it, the release has no installer component. */
  readonly installer?: Buffer;
  readonly baremetalInstaller?: Buffer;
  /** CoreOS build of its stream metadata. */
  readonly coreosVersion: string;
  /** In the form `amd64`, which is the default. */
  readonly architecture?: string;
}

export interface PushedRelease {
  /** Component → its reference by digest in the release. */
  readonly components: { readonly [name: string]: string };
  /** Name of the release without the registry: `openshift-release-dev/ocp-release:4.18.3-x86_64`. */
  readonly name: string;
  /** Digest of the image. */
  readonly digest: string;
}

/**
 * Pushes a release in the layout of `quay.io/openshift-release-dev`: all components in one repository, referred to by digest;
 * the payload has `release-manifests/` in its uppermost layer; `<version>-x86_64` (by architecture) is a manifest and `<version>-multi` a list.
 * `registry` is the host that the references name.
 */
export async function pushRelease(
  server: TestRegistry,
  registry: string,
  { architecture = 'amd64', baremetalInstaller, coreosVersion, installer, version }: ReleaseContent,
): Promise<PushedRelease> {
  const components: Record<string, string> = {};
  const push = async (name: string, files: { readonly [path: string]: string | Buffer }): Promise<void> => {
    const digest = await server.pushImage(COMPONENTS, [BASE_LAYER, files], { architecture });
    components[name] = `${registry}/${COMPONENTS}@${digest}`;
  };
  await push('machine-config-operator', { 'usr/bin/machine-config-daemon': 'machine-config-daemon' });
  await push('must-gather', { 'usr/bin/gather': '#!/bin/bash\n' });
  await push('rhel-coreos', { 'usr/lib/ostree/prepare-root.conf': '[composefs]\nenabled = yes\n' });
  if (installer) await push('installer', { 'usr/bin/openshift-install': installer });
  if (baremetalInstaller) await push('baremetal-installer', { 'usr/bin/openshift-install': baremetalInstaller });
  const coreosArchitecture = COREOS_ARCHITECTURES.get(architecture) ?? architecture;
  const tag = `${version}-${coreosArchitecture}`;
  const manifests = { 'release-manifests/image-references': imageReferences(version, components) };
  const digest = await server.pushImage(
    RELEASES,
    [
      BASE_LAYER,
      {
        ...manifests,
        'release-manifests/release-metadata': JSON.stringify({ kind: 'cincinnati-metadata-v0', version, previous: [] }),
        'release-manifests/0000_50_installer_coreos-bootimages.yaml': bootImages(coreosVersion, coreosArchitecture),
      },
    ],
    { architecture, tag },
  );
  const architectures = ['amd64', 'arm64'].map((each) => ({
    mediaType: MANIFEST,
    digest,
    size: 1,
    platform: { architecture: each, os: 'linux' },
  }));
  const list = { schemaVersion: 2, mediaType: LIST, manifests: architectures };
  await server.putManifest(RELEASES, `${version}-multi`, list, LIST);
  return { components, name: `${RELEASES}:${tag}`, digest };
}

/** The image stream with the components of a release. */
function imageReferences(version: string, components: { readonly [name: string]: string }): string {
  const tags = Object.entries(components).map(([name, image]) => ({
    name,
    annotations: { 'io.openshift.build.commit.ref': 'release', 'io.openshift.build.versions': '' },
    from: { kind: 'DockerImage', name: image },
    generation: 2,
    importPolicy: {},
    referencePolicy: { type: 'Source' },
  }));
  return JSON.stringify({
    kind: 'ImageStream',
    apiVersion: 'image.openshift.io/v1',
    metadata: { name: version, creationTimestamp: '2025-01-01T00:00:00Z' },
    spec: { lookupPolicy: { local: false }, tags },
  });
}

/** The config map with the stream metadata of CoreOS. */
function bootImages(release: string, architecture: string): string {
  const artifacts = { metal: { release, formats: { iso: { disk: { location: 'https://example.com/live.iso' } } } } };
  const stream = JSON.stringify({ stream: 'rhcos-4.18', architectures: { [architecture]: { artifacts } } }, null, 2);
  const lines = stream.split('\n').map((line) => `    ${line}`);
  return [
    'apiVersion: v1',
    'kind: ConfigMap',
    'metadata:',
    '  namespace: openshift-machine-config-operator',
    '  name: coreos-bootimages',
    'data:',
    '  stream: |',
    ...lines,
    '',
  ].join('\n');
}
