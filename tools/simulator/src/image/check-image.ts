import { openFileByteSource } from '@muster/adapter-filesystem';
import { readBootIsoLayout, readIgnitionConfig } from '@muster/boot-image';
import { readIgnition } from '../installation/ignition';
import { applyIgnition } from '../scratch-root/apply-ignition';
import { checkDiscoveryRoot } from '../scratch-root/check-discovery-root';
import { createScratchRoots } from '../scratch-root/scratch-roots';

/** Starts a machine of files only from the ISO at `path`. Throws when a real one would not report itself. */
export async function checkImage(path: string): Promise<void> {
  const image = await openFileByteSource(path);
  const roots = createScratchRoots();
  try {
    const { ignition } = await readBootIsoLayout(image);
    const config = await readIgnitionConfig(image, ignition);
    // The reader of the settings reports this.
    if (!config) return;
    const root = roots.fresh('image', 'live');
    applyIgnition(readIgnition(Buffer.from(config), 'the live system'), root);
    checkDiscoveryRoot(root);
  } finally {
    roots.remove();
    await image.close();
  }
}
