import { get } from 'node:http';
import { RestClient } from '@muster/tool-demo';
import { count, kibibytes, milliseconds, p50AndP99 } from '../figures';
import { defineFleet } from '../load/fleet';
import type { Bench } from '../measurement';
import { residentBytes } from './cpu-time';
import { startEmbeddedProcess } from './embedded-process';

const PARALLEL_DOWNLOADS = 32;

/** Boot images as machines fetch them. */
export const imageDownload: Bench = {
  name: 'image',
  about: 'first byte of a discovery image, and memory while many are downloaded',
  run: async (bed) => {
    const muster = await startEmbeddedProcess(bed.directory('image'));
    try {
      const [host] = await defineFleet(muster.restUrl, 1, 1);
      const path = `/infra-envs/${host?.infraEnvId}/downloads/image-url`;
      const { url } = await new RestClient(muster.restUrl).get<{ url: string }>(path);
      // The first request that this process makes is slow on this side.
      (await startDownload(new URL('/base-images', url).href)).end();
      const coldMs = (await startDownload(url)).firstByteMs;
      const firstBytesMs: number[] = [];
      for (let n = 0; n < (bed.isQuick ? 5 : 300); n += 1) firstBytesMs.push((await startDownload(url)).firstByteMs);

      const before = residentBytes(muster.pid);
      // Each has its first bytes and then does not read on: what is held for it stays held.
      const stalled = await Promise.all(Array.from({ length: PARALLEL_DOWNLOADS }, () => startDownload(url, true)));
      const perDownload = Math.max(residentBytes(muster.pid) - before, 0) / PARALLEL_DOWNLOADS;
      for (const { end } of stalled) end();
      return [
        { what: 'ISO, first byte of the first download after a start', measured: milliseconds(coldMs), budget: '' },
        { what: 'ISO, first byte', measured: p50AndP99(firstBytesMs), budget: '< 10 ms' },
        {
          what: `ISO, memory per download (${count(PARALLEL_DOWNLOADS)} stalled ones)`,
          measured: kibibytes(perDownload),
          budget: '< 1 MiB',
        },
      ];
    } finally {
      await muster.stop();
    }
  },
};

/** Resolves with the first bytes; ends then, unless it shall stay. */
function startDownload(url: string, stays = false): Promise<{ readonly firstByteMs: number; end(): void }> {
  return new Promise((resolve, reject) => {
    const startedMs = performance.now();
    const download = get(url, { agent: false }, (answer) => {
      if (answer.statusCode !== 200) return reject(new Error(`The image was answered with ${answer.statusCode}.`));
      answer.once('readable', () => {
        const firstByteMs = performance.now() - startedMs;
        if (!stays) download.destroy();
        resolve({ firstByteMs, end: () => void download.destroy() });
      });
      answer.on('error', () => undefined);
    });
    download.once('error', reject);
  });
}
