import { BootImageError } from '../boot-image.error';
import type { ByteSource } from '../byte-source';
import type { Overlay } from '../overlay-source';
import { trimKargs, type KargsArea } from './kargs-area';
import { assertKargs } from './kargs-text';

/** The kernel arguments this image boots with. Throws `kargs_disagree` when its boot menus differ. */
export async function readKargs(source: ByteSource, area: KargsArea): Promise<string> {
  const texts = new Set<string>();
  for (const { offset, pad, end } of area.places) {
    texts.add(trimKargs(await source.read(offset, area.length), pad, end));
  }
  const [text, ...others] = texts;
  if (text === undefined || others.length > 0) {
    throw new BootImageError({ code: 'kargs_disagree', places: area.places.map(({ name }) => name) });
  }
  return text;
}

/**
 * Adds arguments after those the image has, in every boot menu. None: no overlays.
 * Throws `hostile_karg`, `kargs_too_long` (by how much) and `kargs_disagree`.
 */
export async function appendKargs(source: ByteSource, area: KargsArea, values: readonly string[]): Promise<Overlay[]> {
  assertKargs(values);
  if (values.length === 0) return [];
  return kargsOverlays(area, [await readKargs(source, area), ...values].filter((part) => part !== '').join(' '));
}

function kargsOverlays(area: KargsArea, text: string): Overlay[] {
  const kargsBytes = text.length + 1;
  if (kargsBytes > area.length) {
    throw new BootImageError({ code: 'kargs_too_long', kargsBytes, areaBytes: area.length });
  }
  return area.places.map(({ offset, pad, end }) => {
    const bytes = new Uint8Array(area.length).fill(pad);
    for (let index = 0; index < text.length; index += 1) bytes[index] = text.charCodeAt(index);
    bytes[text.length] = end;
    return { offset, bytes };
  });
}
