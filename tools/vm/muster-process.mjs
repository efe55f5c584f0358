/**
 * Runs Muster in a separate process and calls its API. The machine reaches it at 10.0.2.2, this process at 127.0.0.1.
 */
import { spawn } from 'node:child_process';
import { createWriteStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const HOST = '10.0.2.2';
const API = '/api/assisted-install/v2';
const RELEASE = { openshift_version: '4.18', cpu_architecture: 'x86_64', version: '418.94.202501010000-0' };
/** An emulated machine is smaller and slower than any server. */
const SMALL = { cpu_cores: 1, ram_mib: 2_000, disk_size_gb: 100, installation_disk_speed_threshold_ms: 2_000 };

/** Starts Muster in `folder`, without settings of the shell, and waits until it is ready. */
export async function startMuster({ folder, iso }) {
  const { NO_SETTINGS } = (await import(join(ROOT, 'tools/demo/dist/index.js'))).default;
  const { freePort } = (await import(join(ROOT, 'services/muster/dist/index.js'))).default;
  const [rest, images, nats] = [await freePort('127.0.0.1'), await freePort('127.0.0.1'), await freePort('127.0.0.1')];
  const child = spawn(process.execPath, [join(ROOT, 'services/muster/dist/main.js')], {
    env: {
      ...process.env,
      ...NO_SETTINGS,
      MUSTER_DATA_DIRECTORY: join(folder, 'muster'),
      REST_HOST: '127.0.0.1',
      REST_PORT: String(rest),
      IMAGE_HOST: '127.0.0.1',
      IMAGE_PORT: String(images),
      NATS_PORT: String(nats),
      AGENT_NATS_URL: `nats://${HOST}:${nats}`,
      SERVICE_BASE_URL: `http://${HOST}:${rest}`,
      IMAGE_SERVICE_BASE_URL: `http://${HOST}:${images}`,
      OS_IMAGES: JSON.stringify([{ ...RELEASE, url: pathToFileURL(iso).href }]),
      HW_VALIDATOR_REQUIREMENTS: JSON.stringify([{ version: 'default', master: SMALL, worker: SMALL, sno: SMALL }]),
      // No real release is available here, so the artifacts are those of a simulated one.
      RELEASE_IMAGES: JSON.stringify([
        { ...RELEASE, version: '4.18.52', url: 'quay.io/muster/simulated-release:4.18', simulated: true },
      ]),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (log += chunk));
  const ended = new Promise((resolve) => child.once('close', resolve));
  const url = `http://127.0.0.1:${rest}`;
  for (let waited = 0; ; waited += 1) {
    if (child.exitCode !== null) throw new Error(`Muster ended: ${log}`);
    if ((await fetch(`${url}/ready`).catch(() => undefined))?.ok) break;
    if (waited > 360) throw new Error(`Muster is not ready: ${log}`);
    await sleep(500);
  }
  const open = async (method, path, body) => {
    const answer = await fetch(url + API + path, {
      method,
      headers: { 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${(await answer.text()).slice(0, 500)}`);
    return answer;
  };
  return {
    log: () => log,
    /** Calls the v2 API and returns the body. */
    call: async (method, path, body) => {
      const text = await (await open(method, path, body)).text();
      return text ? JSON.parse(text) : undefined;
    },
    text: async (path) => (await open('GET', path)).text(),
    bytes: async (path) => Buffer.from(await (await open('GET', path)).arrayBuffer()),
    /** Returns the URL of a v2 path for the machine. */
    urlForMachine: (path) => `http://${HOST}:${rest}${API}${path}`,
    /** Downloads the image of an image URL to a file. */
    download: async (imageUrl, path) => {
      const answer = await fetch(imageUrl.replace(/^https?:\/\/[^/]+/, `http://127.0.0.1:${images}`));
      if (!answer.ok) throw new Error(`The image is answered with ${answer.status}: ${await answer.text()}`);
      await pipeline(Readable.fromWeb(answer.body), createWriteStream(path));
    },
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

export const isBuilt = () => existsSync(join(ROOT, 'dist/muster-host/index.json'));

export function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
