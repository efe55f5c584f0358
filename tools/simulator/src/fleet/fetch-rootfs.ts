import { type ByteSource, readBootIsoLayout, readKargs } from '@muster/boot-image';

const ROOTFS_ARGUMENT = /(?:^| )coreos\.live\.rootfs_url="?([^" ]+)/;

/**
 * What a machine does that was started from an image without a root file system: it fetches that from where the kernel's
 * arguments say. Resolves with its bytes; 0 when the image has its own. Throws when it cannot be had: the machine hangs there.
 */
export async function fetchRootfs(image: ByteSource, signal: AbortSignal): Promise<number> {
  const { kargs } = await readBootIsoLayout(image);
  const url = kargs && ROOTFS_ARGUMENT.exec(await readKargs(image, kargs))?.[1];
  if (!url) return 0;
  const answer = await fetch(url, { signal });
  if (!answer.ok || !answer.body)
    throw new Error(`The machine cannot start: its root file system at ${url} is answered with ${answer.status}.`);
  let bytes = 0;
  for await (const chunk of answer.body) bytes += (chunk as Uint8Array).length;
  return bytes;
}
