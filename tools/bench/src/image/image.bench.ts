import { fork } from 'node:child_process';
import { truncateSync } from 'node:fs';
import { get } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createBaseImage } from '@muster/base-image';
import { RestClient } from '@muster/tool-demo';
import { defineFleet, type FleetHost, httpTarget, registration } from '../load/fleet';
import { type LoadResult, startLoadProcess } from '../load/load';
import { type Bench, count, kibibytes, type Measurement, milliseconds, p50AndP99, perSecond } from '../measurement';
import { type EmbeddedProcess, residentBytes, startEmbeddedProcess } from '../process/embedded-process';

export type Way = 'file' | 'image';

/** One file, served directly and as an image. */
export interface TwoWays {
  readonly pid: number;
  /** Downloads concurrently. Returns the total size and the time until the last download ended. */
  download(way: Way, parallel: number): Promise<{ readonly bytes: number; readonly ms: number }>;
  /** Time from the request to the last byte of the range. */
  rangeMs(way: Way, offset: number, length: number): Promise<number>;
  close(): void;
}

export async function startTwoWays(path: string): Promise<TwoWays> {
  const child = fork(join(__dirname, 'two-ways-server.js'), [path], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', (told) => resolve(Number(told)));
    child.once('exit', (code) => reject(new Error(`The file server ended with ${code}.`)));
  });
  const drain = (way: Way, headers: { readonly [name: string]: string } = {}): Promise<number> =>
    new Promise((resolve, reject) => {
      const asked = get({ host: '127.0.0.1', port, path: `/${way}`, headers, agent: false }, (answer) => {
        let bytes = 0;
        answer.on('data', (chunk: Buffer) => void (bytes += chunk.length));
        answer.once('end', () => resolve(bytes));
        answer.once('error', reject);
      });
      asked.once('error', reject);
    });
  return {
    pid: child.pid ?? 0,
    download: async (way, parallel) => {
      const startedMs = performance.now();
      const all = await Promise.all(Array.from({ length: parallel }, () => drain(way)));
      return { bytes: all.reduce((sum, bytes) => sum + bytes, 0), ms: performance.now() - startedMs };
    },
    rangeMs: async (way, offset, length) => {
      const startedMs = performance.now();
      const bytes = await drain(way, { range: `bytes=${offset}-${offset + length - 1}` });
      if (bytes !== length) throw new Error(`${bytes} bytes came instead of ${length}.`);
      return performance.now() - startedMs;
    },
    close: () => {
      if (child.connected) child.disconnect();
    },
  };
}

const MEBIBYTE = 1024 * 1024;
const GIBIBYTE = 1024 * MEBIBYTE;
const IMAGE_BYTES = 128 * MEBIBYTE;
const SPARSE_BYTES = 60 * GIBIBYTE;
const RANGE_BYTES = MEBIBYTE;
const LOOK_EVERY_MS = 20;
const PARALLEL = 50;

/** Compares images with plain files, to measure the cost of creating images on request. */
export const imageThroughput: Bench = {
  name: 'throughput',
  about: 'MB/s of one and many image downloads against plain files; ranges of a sparse 60 GiB image',
  run: async (bed) => {
    const path = join(bed.directory('throughput'), 'base.iso');
    await createBaseImage({ outPath: path });
    // A sparse file: its size is read as zeros without using disk space.
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
  // Run once before the measurement, so that the file is in the page cache and the code is compiled for both.
  for (const way of ['file', 'image'] as const) await ways.download(way, 1);
  const rates = new Map<Way, number>();
  // Alternately, using the better of two results, so that other programs affect both.
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
      // Offsets over the whole file without repetition.
      const offset = Math.floor(((n * 0.618_034) % 1) * (SPARSE_BYTES - RANGE_BYTES));
      measured.push(await ways.rangeMs('image', offset, RANGE_BYTES));
    }
    return [{ what: 'image of 60 GiB, a range of 1 MiB anywhere', measured: p50AndP99(measured), budget: '' }];
  } finally {
    ways.close();
  }
}

const PARALLEL_DOWNLOADS = 32;
const REGISTRATIONS_PER_SECOND = 200;
const REGISTERING = { clusters: 60, hostsEach: 100 };
const QUICK_REGISTERING = { clusters: 1, hostsEach: 20 };
/** Share of the hosts that register before the measurement. Until its code is compiled, a registration takes several times its CPU. */
const WARM_UP_SHARE = 0.1;
const BETWEEN_DOWNLOADS_MS = 20;

/** Downloads of boot images by hosts. */
export const imageDownload: Bench = {
  name: 'image',
  about: 'first byte of a discovery image, also while hosts register, and memory while many are downloaded',
  run: async (bed) => {
    const muster = await startEmbeddedProcess(bed.directory('image'));
    try {
      const [host] = await defineFleet(muster.restUrl, 1, 1);
      const path = `/infra-envs/${host?.infraEnvId}/downloads/image-url`;
      const { url } = await new RestClient(muster.restUrl).get<{ url: string }>(path);
      // The first request of the load process itself is slow.
      (await startDownload(new URL('/base-images', url).href)).end();
      const coldMs = (await startDownload(url)).firstByteMs;
      const firstBytesMs: number[] = [];
      for (let n = 0; n < (bed.isQuick ? 5 : 300); n += 1) firstBytesMs.push((await startDownload(url)).firstByteMs);

      const before = residentBytes(muster.pid);
      // Each connection receives its first bytes and then stops reading, so its memory stays allocated.
      const stalled = await Promise.all(Array.from({ length: PARALLEL_DOWNLOADS }, () => startDownload(url, true)));
      const perDownload = Math.max(residentBytes(muster.pid) - before, 0) / PARALLEL_DOWNLOADS;
      for (const { end } of stalled) end();
      return [
        { what: 'ISO, first byte of the first download after a start', measured: milliseconds(coldMs), budget: '' },
        { what: 'ISO, first byte', measured: p50AndP99(firstBytesMs), budget: '' },
        await whileHostsRegister(muster, url, bed.isQuick ? QUICK_REGISTERING : REGISTERING),
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

async function whileHostsRegister(
  muster: EmbeddedProcess,
  url: string,
  { clusters, hostsEach }: typeof REGISTERING,
): Promise<Measurement> {
  const hosts = await defineFleet(muster.restUrl, clusters, hostsEach);
  const load = startLoadProcess();
  try {
    await load.open(httpTarget(muster));
    const firstBytesMs: number[] = [];
    let isRegistering = true;
    const pace = { perSecond: REGISTRATIONS_PER_SECOND };
    const register = (some: readonly FleetHost[]): Promise<LoadResult> =>
      load.run({ calls: some.map(registration), pace, stop: { calls: some.length } });
    const warmUp = hosts.length * WARM_UP_SHARE;
    await register(hosts.slice(0, warmUp));
    const registering = register(hosts.slice(warmUp)).finally(() => (isRegistering = false));
    while (isRegistering) {
      firstBytesMs.push((await startDownload(url)).firstByteMs);
      await new Promise((resolve) => setTimeout(resolve, BETWEEN_DOWNLOADS_MS));
    }
    const { calls, ms } = await registering;
    return {
      what: `ISO, first byte while ${REGISTRATIONS_PER_SECOND} hosts per second register`,
      measured: `${p50AndP99(firstBytesMs)} (${perSecond(calls, ms)})`,
      budget: 'p99 < 5 ms',
    };
  } finally {
    load.close();
  }
}

/** The headers and the begin of the body. */
const FIRST_BYTES = 4 * 1024;
const END_OF_HEADERS = '\r\n\r\n';

/**
 * Resolves with the first bytes of the body and ends the download, unless `stays` is true. Nothing is read after the first bytes. A client
 * that reads all that arrives allocates a buffer for each part, and its garbage collections would count as a delay of the image.
 */
function startDownload(url: string, stays = false): Promise<{ readonly firstByteMs: number; end(): void }> {
  return new Promise((resolve, reject) => {
    const { hostname: host, port, pathname, search } = new URL(url);
    const startedMs = performance.now();
    let received = '';
    const callback = (bytes: number, buffer: Uint8Array): boolean => {
      received += Buffer.from(buffer.buffer, buffer.byteOffset, bytes).toString('latin1');
      const end = received.indexOf(END_OF_HEADERS);
      if (end < 0 || received.length === end + END_OF_HEADERS.length) return true;
      const firstByteMs = performance.now() - startedMs;
      if (!received.startsWith('HTTP/1.1 200 '))
        reject(new Error(`The image was answered with ${received.slice(0, end)}`));
      if (!stays) download.destroy();
      resolve({ firstByteMs, end: () => void download.destroy() });
      return false;
    };
    const download = connect({ host, port: Number(port), onread: { buffer: Buffer.alloc(FIRST_BYTES), callback } });
    download.once('error', reject);
    download.write(`GET ${pathname}${search} HTTP/1.1\r\nhost: ${host}:${port}\r\n\r\n`);
  });
}
