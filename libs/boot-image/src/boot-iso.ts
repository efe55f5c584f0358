import { fillIgnitionArea, type IgnitionArea, locateIgnitionArea } from './areas/ignition-area';
import { appendKargs, type KargsArea, locateKargsArea } from './areas/kargs-area';
import { BootImageError } from './boot-image.error';
import type { ByteSource } from './byte-source';
import { type Extent, openIso } from './iso/iso-image';
import { type Overlay, overlaySource } from './overlay-source';

const COREOS_VOLUME_PREFIXES = ['rhcos-', 'fedora-coreos-', 'scos-'] as const;

/** The data of a base image that customisation needs. Read once per image and used for every download. */
export interface BootIsoLayout {
  readonly volumeId: string;
  readonly ignition: IgnitionArea;
  /** Undefined when the image reserves no area for kernel arguments. */
  readonly kargs?: KargsArea;
  /** The area for network files, in minimal images only. */
  readonly network?: Extent;
}

export interface BootIsoCustomisation {
  /** The Ignition config: JSON in UTF-8. */
  readonly config: Uint8Array;
  /** Appended to the kernel arguments of the image, one argument per value. */
  readonly appendKargs?: readonly string[];
  /** A ramdisk with the network files of hosts, for minimal images. */
  readonly networkRamdisk?: Uint8Array;
}

export function isCoreOsVolumeId(volumeId: string): boolean {
  return COREOS_VOLUME_PREFIXES.some((prefix) => volumeId.startsWith(prefix));
}

/**
 * Reads a base image.
 * @throws BootImageError `not_an_iso`, `truncated`, `no_ignition_area`, `malformed`, `file_not_found`
 */
export async function readBootIsoLayout(source: ByteSource): Promise<BootIsoLayout> {
  const image = await openIso(source);
  const [ignition, kargs] = [await locateIgnitionArea(image), await locateKargsArea(image)];
  return { volumeId: image.volumeId, ignition, ...(kargs && { kargs }) };
}

/**
 * Returns the image with the config and the kernel arguments. Its size is that of the base, and only the changed areas
 * are in memory. Equal input results in equal bytes.
 * @throws BootImageError `config_too_large`, `hostile_karg`, `kargs_too_long`, `no_kargs_area`, `kargs_disagree`,
 * `ramdisk_too_large`, `no_network_area`
 */
export async function customiseBootIso(
  base: ByteSource,
  layout: BootIsoLayout,
  customisation: BootIsoCustomisation,
): Promise<ByteSource> {
  const overlays: Overlay[] = [fillIgnitionArea(layout.ignition, customisation.config)];
  const kargs = customisation.appendKargs ?? [];
  if (kargs.length > 0) {
    if (!layout.kargs) throw new BootImageError({ code: 'no_kargs_area' });
    overlays.push(...(await appendKargs(base, layout.kargs, kargs)));
  }
  const { networkRamdisk } = customisation;
  if (networkRamdisk && networkRamdisk.length > 0) overlays.push(fillNetworkArea(layout.network, networkRamdisk));
  return overlaySource(base, overlays);
}

function fillNetworkArea(area: Extent | undefined, ramdisk: Uint8Array): Overlay {
  if (!area) throw new BootImageError({ code: 'no_network_area' });
  if (ramdisk.length > area.length)
    throw new BootImageError({
      code: 'ramdisk_too_large',
      ramdiskBytes: ramdisk.length,
      areaBytes: area.length,
    });
  return { offset: area.offset, bytes: ramdisk, length: area.length };
}
