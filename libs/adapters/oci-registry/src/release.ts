import { readFile } from 'node:fs/promises';
import { type ExtractedFile, type ImageRegistry, ImageRegistryError } from '@muster/ports';
import { parse } from 'yaml';
import { parseImageReference } from './image-reference';

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
  const { path } = await registry.extractFile(image, architecture, REFERENCES, signal);
  const { kind, metadata, spec } = parseReferences(await readFile(path, 'utf8'));
  if (kind !== 'ImageStream') throw contentError(image, `${REFERENCES} is not an image stream`);
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
  throw contentError(
    image,
    `the release ${release.version} has no component ${name}; it has ${[...release.images.keys()].sort().join(', ') || 'none'}`,
  );
}

const contentError = (image: string, reason: string): ImageRegistryError =>
  new ImageRegistryError(image, parseImageReference(image).registry, reason, 'content');

function parseReferences(text: string): ImageReferences {
  try {
    return JSON.parse(text) as ImageReferences;
  } catch {
    return {};
  }
}

/** Returns the path of the release's own installer, which can be executed. @throws ImageRegistryError */
export async function extractInstaller(
  registry: ImageRegistry,
  release: Release,
  image: string,
  architecture: string,
  kind: InstallerKind,
  signal: AbortSignal,
): Promise<ExtractedFile> {
  const component = componentOf(release, INSTALLER_IMAGES[kind], image);
  return registry.extractFile(component, architecture, INSTALLER_PATH, signal);
}

interface StreamMetadata {
  readonly architectures?: {
    readonly [name: string]: { readonly artifacts?: { readonly metal?: { readonly release?: string } } };
  };
}

/**
 * Returns the build of CoreOS that a release installs, from its stream metadata; empty when the release does not state it.
 * `architecture` as CoreOS names it: `x86_64`. @throws ImageRegistryError
 */
export async function readCoreosVersion(
  registry: ImageRegistry,
  image: string,
  imageArchitecture: string,
  architecture: string,
  signal: AbortSignal,
): Promise<string> {
  try {
    const { path } = await registry.extractFile(image, imageArchitecture, BOOT_IMAGES, signal);
    const { data } = parse(await readFile(path, 'utf8')) as { readonly data?: { readonly stream?: string } };
    const { architectures } = JSON.parse(data?.stream ?? '{}') as StreamMetadata;
    return architectures?.[architecture]?.artifacts?.metal?.release ?? '';
  } catch (error) {
    // A release without this file, or with another form of it, can be installed.
    if (error instanceof ImageRegistryError && error.fault !== 'content') throw error;
    return '';
  }
}
