/**
 * Boots a machine from an image that Muster serves, and follows it: the real `ignition` applies the configuration, the host
 * downloads `muster-host`, registers, and runs its checks. `--firmware=uefi` for UEFI; `--keep` leaves the folder with the logs.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writePng } from './png.mjs';
import { liveImage, NEEDED } from './live-image.mjs';
import { createDisk, hasUefi, startMachine } from './virtual-machine.mjs';

const ROOT = new URL('../..', import.meta.url).pathname;
const HOST = '10.0.2.2';
const PULL_SECRET = JSON.stringify({
  auths: { 'registry.example.com': { auth: Buffer.from('user:password').toString('base64') } },
});
const options = process.argv.slice(2);
const firmware = options.includes('--firmware=uefi') ? 'uefi' : 'bios';
const API = '/api/assisted-install/v2';
const startedAt = Date.now();
const say = (text) => console.log(`${((Date.now() - startedAt) / 1000).toFixed(0).padStart(5)} s  ${text}`);

const missing = NEEDED.filter(([, path]) => !existsSync(path)).map(([name]) => name);
if (firmware === 'uefi' && !hasUefi()) missing.push('ovmf');
if (missing.length > 0) {
  console.log(
    `test:vm skipped: without ${missing.join(', ')}. Install them with: apt-get install ${missing.join(' ')}`,
  );
  process.exit(0);
}
if (!existsSync(join(ROOT, 'dist/muster-host/index.json'))) {
  console.log('test:vm skipped: run npm run build:host first.');
  process.exit(0);
}

const folder = mkdtempSync(join(tmpdir(), 'muster-vm-'));
let machine;
let muster;
let failure;
try {
  const { iso } = await liveImage(say);
  muster = await startMuster(iso);
  const { infraEnvId, clusterId } = await createCluster();
  const image = join(folder, 'discovery.iso');
  await download(infraEnvId, image);
  machine = startMachine({
    folder,
    iso: image,
    disks: [createDisk(join(folder, 'disk'), 120)],
    firmware,
    serial: 'VM0001',
  });
  say(`the machine starts (${firmware})`);
  await follow(infraEnvId, clusterId);
} catch (error) {
  failure = error;
} finally {
  if (machine) {
    await shoot('end');
    writeFileSync(join(folder, 'console.log'), machine.log());
    await machine.stop();
  }
  if (muster) {
    writeFileSync(join(folder, 'muster.log'), muster.log());
    muster.child.kill('SIGTERM');
    await muster.ended;
  }
}
if (failure) {
  say(`failed: ${failure.message}`);
  console.log(machine?.log().split('\n').slice(-60).join('\n'));
  console.log(`Logs: ${folder}`);
  process.exit(1);
}
if (options.includes('--keep')) say(`logs: ${folder}`);
else rmSync(folder, { recursive: true, force: true });
say('passed');

async function startMuster(iso) {
  const [rest, images, nats] = [await freePort(), await freePort(), await freePort()];
  const release = { openshift_version: '4.18', cpu_architecture: 'x86_64', version: '418.94.202501010000-0' };
  const child = spawn(process.execPath, [join(ROOT, 'services/muster/dist/main.js')], {
    env: {
      ...process.env,
      MUSTER_DATA_DIRECTORY: join(folder, 'muster'),
      REST_HOST: '127.0.0.1',
      REST_PORT: String(rest),
      IMAGE_HOST: '127.0.0.1',
      IMAGE_PORT: String(images),
      NATS_PORT: String(nats),
      AGENT_NATS_URL: `nats://${HOST}:${nats}`,
      SERVICE_BASE_URL: `http://${HOST}:${rest}`,
      IMAGE_SERVICE_BASE_URL: `http://${HOST}:${images}`,
      OS_IMAGES: JSON.stringify([{ ...release, url: `file://${iso}` }]),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (log += chunk));
  const ended = new Promise((resolve) => child.once('close', resolve));
  const muster = {
    child,
    ended,
    log: () => log,
    url: `http://127.0.0.1:${rest}`,
    images: `http://127.0.0.1:${images}`,
  };
  for (let waited = 0; waited < 120; waited += 1) {
    if (child.exitCode !== null) throw new Error(`Muster ended: ${log}`);
    if ((await fetch(`${muster.url}/ready`).catch(() => undefined))?.ok) return (say('Muster is ready'), muster);
    await sleep(500);
  }
  throw new Error(`Muster is not ready: ${log}`);
}

async function call(method, path, body) {
  const answer = await fetch(muster.url + API + path, {
    method,
    headers: { 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 500)}`);
  return text ? JSON.parse(text) : undefined;
}

async function createCluster() {
  const cluster = await call('POST', '/clusters', {
    name: 'edge',
    base_dns_domain: 'example.com',
    openshift_version: '4.18',
    cpu_architecture: 'x86_64',
    control_plane_count: 1,
    high_availability_mode: 'None',
    user_managed_networking: true,
    pull_secret: PULL_SECRET,
  });
  const infraEnv = await call('POST', '/infra-envs', {
    name: 'edge',
    cluster_id: cluster.id,
    openshift_version: '4.18',
    cpu_architecture: 'x86_64',
    image_type: 'full-iso',
    pull_secret: PULL_SECRET,
    kernel_arguments: [
      { operation: 'append', value: 'console=ttyS0' },
      { operation: 'append', value: 'console=tty0' },
    ],
  });
  return { infraEnvId: infraEnv.id, clusterId: cluster.id };
}

async function download(infraEnvId, path) {
  const { url } = await call('GET', `/infra-envs/${infraEnvId}/downloads/image-url`);
  // The machine and this process reach the image service by different addresses.
  const answer = await fetch(url.replace(/^https?:\/\/[^/]+/, muster.images));
  if (!answer.ok) throw new Error(`The image is answered with ${answer.status}: ${await answer.text()}`);
  const bytes = Buffer.from(await answer.arrayBuffer());
  writeFileSync(path, bytes);
  say(`the discovery image has ${Math.round(bytes.length / 1e6)} MB`);
}

/** The milestones, in order: what the console or the service shows. */
async function follow(infraEnvId, clusterId) {
  const console_ = (pattern) => () => pattern.test(machine.log());
  const host = async () => (await call('GET', `/infra-envs/${infraEnvId}/hosts`))[0];
  const milestones = [
    ['the real ignition applied the configuration', 300, console_(/initrd: ignition applied the configuration/)],
    ['systemd started the agent unit', 300, console_(/agent\.service|muster-host/)],
    ['the host registered', 300, async () => (await host()) !== undefined],
    ['the service has the inventory', 180, async () => Boolean((await host())?.inventory)],
  ];
  for (const [name, seconds, isReached] of milestones) {
    await until(name, seconds, isReached);
    say(name);
  }
  await shoot('registered');
  const { inventory, ...rest } = await host();
  const found = JSON.parse(inventory);
  say(
    `host ${rest.id}: ${found.cpu.count} CPUs, ${Math.round(found.memory.physical_bytes / 2 ** 20)} MiB, ${found.disks.length} disks, boot ${found.boot.current_boot_mode}`,
  );
  await until('the checks have results', 300, async () => {
    const { validations_info, status } = await host();
    const all = Object.values(JSON.parse(validations_info ?? '{}')).flat();
    const open = all.filter((one) => one.status === 'pending').map((one) => one.id);
    return open.length === 0 || status === 'known';
  }).catch((error) => say(error.message));
  const { status, status_info, validations_info } = await host();
  say(`the host is ${status}: ${status_info}`);
  for (const one of Object.values(JSON.parse(validations_info ?? '{}')).flat())
    if (one.status !== 'success' && one.status !== 'disabled') say(`  ${one.status} ${one.id}: ${one.message}`);
  void clusterId;
}

async function until(what, seconds, isReached) {
  for (let waited = 0; waited < seconds; waited += 1) {
    if (!machine.isRunning()) throw new Error(`The machine ended while waiting: ${what}.`);
    if (await isReached()) return;
    await sleep(1_000);
  }
  throw new Error(`Not reached within ${seconds} s: ${what}.`);
}

async function shoot(name) {
  try {
    const ppm = await machine.screenshot(join(folder, name));
    const target = process.env.MUSTER_VM_PICTURES;
    if (target) {
      mkdirSync(target, { recursive: true });
      writePng(ppm, join(target, `vm-${firmware}-${name}.png`));
    }
  } catch (error) {
    say(`no picture: ${error.message}`);
  }
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
