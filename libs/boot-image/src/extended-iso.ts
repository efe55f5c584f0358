import type { KargsArea } from './areas/kargs-area';
import { BootImageError } from './boot-image.error';
import type { ByteSource } from './byte-source';
import { editTree, fileIn, readIsoTree } from './iso-writer/iso-tree';
import { writeIso } from './iso-writer/write-iso';
import { openIso } from './iso/iso-image';
import { IGNITION_INFO_PATH, ignitionInfo, type MinimalIso, placeOf } from './minimal-iso';
import { extendInitrd } from './network-boot';

export const INITRD_PATH = '/images/pxeboot/initrd.img';

/**
 * Returns the image with an archive after its ramdisk. The kernel unpacks the archive over the ramdisk. All other files are
 * those of the image and are read from it on demand. Same input, same bytes.
 * @throws BootImageError `file_not_found` for an image without a ramdisk, `no_minimal_image`, `malformed`
 */
export async function extendRamdisk({ layout, source }: MinimalIso, archive: ByteSource): Promise<MinimalIso> {
  const image = await openIso(source);
  const tree = await readIsoTree(image);
  const [ramdisk] = fileIn(tree, INITRD_PATH)?.parts ?? [];
  if (!ramdisk) throw new BootImageError({ code: 'file_not_found', path: INITRD_PATH });
  const ignition = placeOf(tree, layout.ignition.offset);
  const isInHeader = layout.ignition.layout === 'header';
  const edited = editTree(
    tree,
    new Map([
      [INITRD_PATH, extendInitrd(ramdisk.content, [archive])],
      ...(isInHeader ? [[IGNITION_INFO_PATH, ignitionInfo(ignition, layout.ignition)] as const] : []),
    ]),
  );
  const written = await writeIso(image, edited);
  const moved = (offset: number): number => {
    const { path, position } = placeOf(tree, offset);
    const file = fileIn(edited, path);
    if (!file) throw new BootImageError({ code: 'file_not_found', path });
    return written.offsetOf(file) + position;
  };
  const movedKargs = (kargs: KargsArea): KargsArea => ({
    ...kargs,
    layout: 'kargs-json',
    places: kargs.places.map((place) => ({ ...place, offset: moved(place.offset) })),
  });
  return {
    source: written.source,
    layout: {
      volumeId: layout.volumeId,
      ignition: {
        layout: isInHeader ? 'igninfo' : layout.ignition.layout,
        offset: moved(layout.ignition.offset),
        length: layout.ignition.length,
      },
      ...(layout.kargs && { kargs: movedKargs(layout.kargs) }),
      ...(layout.network && { network: { ...layout.network, offset: moved(layout.network.offset) } }),
    },
  };
}
