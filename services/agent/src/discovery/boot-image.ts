import { open } from 'node:fs/promises';
import { readBootIsoLayout, readIgnitionConfig, type ByteSource } from '@muster/boot-image';
import { BadDiscoveryIgnition, readDiscoverySettings, type DiscoverySettings } from './discovery-settings';

/** What a machine finds when it boots from this ISO. Throws BootImageError, BadDiscoveryIgnition. */
export async function readBootImage(image: ByteSource): Promise<DiscoverySettings> {
  const layout = await readBootIsoLayout(image);
  const config = await readIgnitionConfig(image, layout.ignition);
  if (!config) throw new BadDiscoveryIgnition('the image carries no ignition: it was downloaded before it was made.');
  return readDiscoverySettings(Buffer.from(config).toString('utf8'));
}

/** Reads the ISO at `path`. */
export async function readBootImageFile(path: string): Promise<DiscoverySettings> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    return await readBootImage({
      size,
      read: async (offset, length) => {
        const bytes = new Uint8Array(length);
        const { bytesRead } = await file.read(bytes, 0, length, offset);
        if (bytesRead !== length) throw new Error(`${path} ends ${length - bytesRead} bytes too early.`);
        return bytes;
      },
    });
  } finally {
    await file.close();
  }
}
