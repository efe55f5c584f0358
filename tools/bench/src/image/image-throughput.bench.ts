import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { createBaseImage } from '@muster/base-image';
import { count, kibibytes, p50AndP99 } from '../figures';
import type { Bench, Measurement } from '../measurement';
import { residentBytes } from '../process/cpu-time';
import { startTwoWays, type TwoWays, type Way } from './two-ways';

const MEBIBYTE = 1024 * 1024;
const GIBIBYTE = 1024 * MEBIBYTE;
const IMAGE_BYTES = 128 * MEBIBYTE;
const SPARSE_BYTES = 60 * GIBIBYTE;
const RANGE_BYTES = MEBIBYTE;
const LOOK_EVERY_MS = 20;
const PARALLEL = 50;

/** Images against plain files: what it costs that nothing is made ahead. */
export const imageThroughput: Bench = {
  name: 'throughput',
  about: 'MB/s of one and many image downloads against plain files; ranges of a sparse 60 GiB image',
  run: async (bed) => {
    const path = join(bed.directory('throughput'), 'base.iso');
    await createBaseImage({ outPath: path });
    // Longer than its file system says: read like the rest, without taking room on the disk.
    truncateSync(path, bed.isQuick ? 64 * MEBIBYTE : IMAGE_BYTES);
    const ways = await startTwoWays(path);
    try {
      const measurements: Measurement[] = [];
      for (const parallel of [1, bed.isQuick ? 5 : PARALLEL]) measurements.push(await compare(ways, parallel));
      measurements.push(await memory(ways, bed.isQuick ? 5 : PARALLEL));
      return [...measurements, ...(await ranges(path, bed.isQuick ? 20 : 500))];
    } finally {
      ways.close();
    }
  },
};

async function compare(ways: TwoWays, parallel: number): Promise<Measurement> {
  // Once without counting: for both, the file is in the page cache and the code compiled.
  for (const way of ['file', 'image'] as const) await ways.download(way, 1);
  const rates = new Map<Way, number>();
  // In turns, the better of two: a neighbour on the machine hits both alike.
  for (const way of ['file', 'image', 'file', 'image'] as const) {
    const { bytes, ms } = await ways.download(way, parallel);
    rates.set(way, Math.max(rates.get(way) ?? 0, bytes / ms / 1_000));
  }
  const [file, image] = [rates.get('file') ?? NaN, rates.get('image') ?? NaN];
  return {
    what: `image, ${count(parallel)} ${parallel === 1 ? 'download' : 'downloads at a time'}`,
    measured: `${count(image)} MB/s, ${(image / file).toFixed(2)} of a plain file (${count(file)} MB/s)`,
    budget: '',
  };
}

async function memory(ways: TwoWays, parallel: number): Promise<Measurement> {
  const before = residentBytes(ways.pid);
  let most = before;
  const look = setInterval(() => (most = Math.max(most, residentBytes(ways.pid))), LOOK_EVERY_MS);
  await ways.download('image', parallel).finally(() => clearInterval(look));
  return {
    what: `image, memory per download (${count(parallel)} running ones, peak)`,
    measured: kibibytes(Math.max(most - before, 0) / parallel),
    budget: '< 1 MiB',
  };
}

async function ranges(path: string, times: number): Promise<readonly Measurement[]> {
  truncateSync(path, SPARSE_BYTES);
  const ways = await startTwoWays(path);
  try {
    const measured: number[] = [];
    for (let n = 0; n < times; n += 1) {
      // Spread over the whole, never the same twice.
      const offset = Math.floor(((n * 0.618_034) % 1) * (SPARSE_BYTES - RANGE_BYTES));
      measured.push(await ways.rangeMs('image', offset, RANGE_BYTES));
    }
    return [{ what: 'image of 60 GiB, a range of 1 MiB anywhere', measured: p50AndP99(measured), budget: '' }];
  } finally {
    ways.close();
  }
}
