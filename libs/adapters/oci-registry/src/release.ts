import { readFile } from 'node:fs/promises';
import { ImageRegistryError, type ImageRegistry } from '@muster/ports';

/** The content of the payload image of an OpenShift release. */
export interface Release {
  readonly version: string;
  /** Name of a component, such as `machine-config-operator` → its image by digest. */
  readonly images: ReadonlyMap<string, string>;
}

interface ImageReferences {
  readonly kind?: string;
  readonly metadata?: { readonly name?: string };
  readonly spec?: { readonly tags?: readonly { readonly name?: string; readonly from?: { readonly name?: string } }[] };
}

const REFERENCES = 'release-manifests/image-references';
const BOOT_IMAGES = 'release-manifests/0000_50_installer_coreos-bootimages.yaml';
const INSTALLER_PATH = 'usr/bin/openshift-install';

/**
 * The variant of a release's installer: `baremetal` is linked with libvirt, which is required before 4.16 and for FIPS.
 */
export type InstallerKind = 'standard' | 'baremetal';
const INSTALLER_IMAGES = { standard: 'installer', baremetal: 'baremetal-installer' } as const;

/**
 * Reads the list of images of a release.
 * @throws ImageRegistryError
 */
export async function readRelease(
  registry: ImageRegistry,
  image: string,
  architecture: string,
  signal: AbortSignal,
): Promise<Release> {
  const path = await registry.extractFile(image, architecture, REFERENCES, signal);
  const { kind, metadata, spec } = JSON.parse(await readFile(path, 'utf8')) as ImageReferences;
  if (kind !== 'ImageStream')
    throw new ImageRegistryError(image, 'its registry', `${REFERENCES} is not an image stream`);
  const images = (spec?.tags ?? []).flatMap(({ from, name }) =>
    name && from?.name ? [[name, from.name] as const] : [],
  );
  return { version: metadata?.name ?? '', images: new Map(images) };
}

/**
 * Returns the image of a component.
 * @throws ImageRegistryError that lists the existing components
 */
export function componentOf(release: Release, name: string, image: string): string {
  const found = release.images.get(name);
  if (found) return found;
  throw new ImageRegistryError(
    image,
    'its registry',
    `the release ${release.version} has no component ${name}. Available: ${[...release.images.keys()].sort().join(', ') || 'none'}`,
  );
}

/**
 * Returns the path of the release's executable installer.
 * @throws ImageRegistryError
 */
export async function extractInstaller(
  registry: ImageRegistry,
  image: string,
  architecture: string,
  kind: InstallerKind,
  signal: AbortSignal,
): Promise<string> {
  const release = await readRelease(registry, image, architecture, signal);
  const component = componentOf(release, INSTALLER_IMAGES[kind], image);
  return registry.extractFile(component, architecture, INSTALLER_PATH, signal);
}

/**
 * Returns the stream metadata of CoreOS that a release installs (YAML of its config map).
 * @throws ImageRegistryError
 */
export async function readCoreosStream(
  registry: ImageRegistry,
  image: string,
  architecture: string,
  signal: AbortSignal,
): Promise<string> {
  return readFile(await registry.extractFile(image, architecture, BOOT_IMAGES, signal), 'utf8');
}
