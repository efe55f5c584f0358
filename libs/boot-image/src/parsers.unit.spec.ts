import fc from 'fast-check';
import { readIgnitionConfig } from './areas/ignition-area';
import { readKargs } from './areas/kargs-area';
import { BootImageError } from './boot-image.error';
import { readBootIsoLayout } from './boot-iso';
import { bufferByteSource } from './byte-source';
import { gzip } from './cpio/gzip';
import { readCpio, readInitramfs, writeCpio } from './cpio/ramdisk';
import { readBootCatalogue } from './iso/el-torito';
import { openIso } from './iso/iso-image';
import { createMinimalIso } from './minimal-iso';
import { GENERATION_NAMES, GENERATIONS } from './synthetic-coreos.fixture.spec';

/** Returns for success and for a BootImageError. Other errors (TypeError, RangeError, a timeout) fail the test. */
async function survives(work: () => unknown): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof BootImageError)) throw error;
  }
}

async function readEverything(bytes: Uint8Array): Promise<void> {
  const source = bufferByteSource(bytes);
  await survives(async () => {
    const layout = await readBootIsoLayout(source);
    await survives(() => readIgnitionConfig(source, layout.ignition));
    const { kargs } = layout;
    if (kargs) await survives(() => readKargs(source, kargs));
    await survives(() => createMinimalIso(source, layout, 'http://h/rootfs'));
  });
  await survives(() => readBootCatalogue(source));
  await survives(async () => {
    const image = await openIso(source);
    for await (const { path, entry } of image.files()) await survives(() => image.readFile(path, entry.size));
  });
}

const changes = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 12 });

function changed(bytes: Uint8Array, edits: ReadonlyArray<readonly [number, number]>, from = 0): Uint8Array {
  const copy = Uint8Array.from(bytes);
  for (const [at, value] of edits) copy[from + (at % (copy.length - from))] = value;
  return copy;
}

describe('parsers', () => {
  it.each(GENERATION_NAMES)('accept or refuse an image with %s and any changed bytes', async (generation) => {
    const bytes = GENERATIONS[generation]();
    await fc.assert(
      // All parsed data is after the headers before the file system.
      fc.asyncProperty(changes, (edits) => readEverything(changed(bytes, edits, 32_672))),
      { numRuns: 300 },
    );
  });

  it('accept or refuse an image that is truncated at any position', async () => {
    const bytes = GENERATIONS['headers only']();
    await fc.assert(fc.asyncProperty(fc.nat(bytes.length), (length) => readEverything(bytes.subarray(0, length))));
  });

  it('accept or refuse damaged descriptors and directories', async () => {
    const bytes = GENERATIONS['igninfo.json and kargs.json with pad and end']();
    const [descriptor, directories] = [32_768, 40_960];
    await fc.assert(
      fc.asyncProperty(changes, changes, async (first, second) => {
        const small = (edits: typeof first, base: number, span: number) =>
          edits.map(([at, value]) => [base + (at % span), value] as const);
        await readEverything(
          changed(bytes, [...small(first, descriptor + 150, 50), ...small(second, directories, 10_240)]),
        );
      }),
      { numRuns: 500 },
    );
  });

  it('accept or refuse archives with changed bytes, and any bytes', async () => {
    const archive = writeCpio([
      { name: 'config.ign', mode: 0o100644, data: new Uint8Array(50) },
      { name: 'second', mode: 0o100644, data: new Uint8Array(3) },
    ]);
    await fc.assert(
      fc.asyncProperty(changes, fc.uint8Array({ maxLength: 200 }), async (edits, noise) => {
        await survives(() => readCpio(changed(archive, edits)));
        await survives(() => readInitramfs(changed(gzip(archive), edits)));
        await survives(() => readInitramfs(noise));
      }),
      { numRuns: 500 },
    );
  });
});
