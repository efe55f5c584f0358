import { access, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { SettingsReader } from '@muster/nest-kit';
import { createBaseImage } from '@muster/tool-base-image';

/** Release of the image that is made here when none is configured. */
const OWN_IMAGE = { openshift_version: '4.18', cpu_architecture: 'x86_64', version: '418.94.202501010000-0' };

/**
 * Without OS_IMAGES there is nothing to boot from: a small image of our own, laid out like CoreOS, stands in. It carries
 * ignition like the real one and boots simulated hosts, not machines.
 */
export async function prepareBaseImages(
  settings: SettingsReader,
  dataDirectory: string,
): Promise<{ OS_IMAGES?: string }> {
  if (settings.optionalText('OS_IMAGES') ?? settings.optionalText('RHCOS_VERSIONS')) return {};
  const directory = join(dataDirectory, 'images');
  const outPath = join(directory, 'muster-demo-x86_64.iso');
  await mkdir(directory, { recursive: true });
  if (!(await exists(outPath))) await createBaseImage({ outPath });
  return { OS_IMAGES: JSON.stringify([{ ...OWN_IMAGE, url: `file://${outPath}` }]) };
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
