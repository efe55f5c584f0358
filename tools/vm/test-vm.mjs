/**
 * Boots machines from what Muster serves and follows them: the real `ignition` applies the configuration, the host downloads
 * `muster-host`, registers and passes its checks. The first scenario continues: the real coreos-installer writes the disk, and the
 * machine reboots from it. Stand-ins of what cannot be had: `stand-ins.mjs`.
 *
 * Options: `--scenario=<name>` (repeatable), `--keep` leaves the folder with the logs, `--build` builds coreos-installer with cargo.
 */
import { createReadStream, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startClusterApi, startTimeServer } from './cluster-api.mjs';
import { COREOS_INSTALLER_VERSION, findCoreosInstaller } from './coreos-installer.mjs';
import { liveImage, NEEDED } from './live-image.mjs';
import { playNetworkRamdisk } from './network-ramdisk.mjs';
import { isBuilt, sleep, startMuster } from './muster-process.mjs';
import { createDisk, hasUefi, shoot, startMachine } from './virtual-machine.mjs';

const PULL_SECRET = JSON.stringify({
  auths: { 'registry.example.com': { auth: Buffer.from('user:password').toString('base64') } },
});
const SCENARIOS = [
  { name: 'install-bios', firmware: 'bios', boot: 'full-iso', isInstalled: true },
  { name: 'install-uefi', firmware: 'uefi', boot: 'full-iso', isInstalled: true },
  { name: 'minimal-iso', firmware: 'uefi', boot: 'minimal-iso', isInstalled: true },
  { name: 'ipxe', firmware: 'bios', boot: 'ipxe', isInstalled: true },
  { name: 'network-ramdisk', firmware: 'bios', play: playNetworkRamdisk },
];
const options = process.argv.slice(2);
const startedAt = Date.now();
const say = (text) => console.log(`${((Date.now() - startedAt) / 1000).toFixed(0).padStart(5)} s  ${text}`);

const missing = NEEDED.filter(([, path]) => !existsSync(path)).map(([name]) => name);
if (missing.length > 0) {
  console.log(`skipped: test:vm (${missing.join(', ')} missing; apt-get install ${missing.join(' ')})`);
  process.exit(0);
}
if (!isBuilt()) {
  console.log('skipped: test:vm (there is no muster-host; run npm run build:host)');
  process.exit(0);
}
const asked = options.flatMap((option) => option.match(/^--scenario=(.*)/)?.[1] ?? []);
const unknown = asked.find((name) => !SCENARIOS.some((one) => one.name === name));
if (unknown) {
  console.error(`There is no scenario "${unknown}". Scenarios: ${SCENARIOS.map(({ name }) => name).join(', ')}.`);
  process.exit(2);
}
const coreosInstaller = findCoreosInstaller({ build: options.includes('--build'), say });
const { iso, disk } = await liveImage({ say, coreosInstaller });
for (const scenario of SCENARIOS) {
  if (asked.length > 0 && !asked.includes(scenario.name)) continue;
  if (scenario.firmware === 'uefi' && !hasUefi()) {
    console.log(`skipped: ${scenario.name} (ovmf missing)`);
    continue;
  }
  if (scenario.isInstalled && !coreosInstaller)
    console.log(
      `skipped: the installation in ${scenario.name} (coreos-installer ${COREOS_INSTALLER_VERSION} missing; run with --build)`,
    );
  if (!(await play(scenario))) process.exit(1);
}
say('passed');

/** Returns whether the scenario passed. */
async function play(scenario) {
  const { name, firmware, boot } = scenario;
  const folder = mkdtempSync(join(tmpdir(), 'muster-vm-'));
  if (scenario.play) return playOther(scenario, folder);
  const open = [];
  let machine;
  let muster;
  try {
    const time = await startTimeServer();
    open.push(time);
    const clusterApi = await startClusterApi();
    open.push(clusterApi);
    muster = await startMuster({ folder, iso });
    say(`${name}: Muster is ready`);
    const ids = await createCluster(muster, boot, { time, clusterApi });
    const media = await prepareBoot(muster, ids, boot, folder);
    machine = startMachine({
      folder,
      ...media,
      disks: [createDisk(join(folder, 'data'), 1), createDisk(join(folder, 'disk'), 120)],
      firmware,
      serial: 'VM0001',
    });
    say(`${name}: the machine starts (${firmware}, ${boot})`);
    const context = { name, folder, machine, muster, clusterApi, boot, firmware, ...ids };
    await untilKnown(context);
    if (scenario.isInstalled && coreosInstaller) await install(context, open);
    return true;
  } catch (error) {
    say(`${name} failed: ${error.message}`);
    console.log(machine?.log().split('\n').slice(-60).join('\n'));
    console.log(`Logs: ${folder}`);
    return false;
  } finally {
    if (machine) {
      await shoot({ name, folder, machine }, 'end').catch((error) => say(`no picture: ${error.message}`));
      writeFileSync(join(folder, 'console.log'), machine.log());
      await machine.stop();
    }
    if (muster) {
      writeFileSync(join(folder, 'muster.log'), muster.log());
      await muster.stop();
    }
    for (const one of open) one.close();
    if (!options.includes('--keep') && !process.exitCode)
      for (const one of ['data', 'disk', 'discovery.iso']) rmSync(join(folder, one), { force: true });
  }
}

async function playOther({ name, play: playScenario }, folder) {
  try {
    await playScenario({ folder, iso, pullSecret: PULL_SECRET, say });
    rmSync(folder, { recursive: true });
    return true;
  } catch (error) {
    say(`${name} failed: ${error.message}`);
    console.log(`Logs: ${folder}`);
    return false;
  }
}

async function createCluster(muster, boot, { time, clusterApi }) {
  const common = { openshift_version: '4.18', cpu_architecture: 'x86_64', pull_secret: PULL_SECRET };
  const cluster = await muster.call('POST', '/clusters', {
    ...common,
    name: 'edge',
    base_dns_domain: 'example.com',
    control_plane_count: 1,
    high_availability_mode: 'None',
    user_managed_networking: true,
  });
  const infraEnv = await muster.call('POST', '/infra-envs', {
    ...common,
    name: 'edge',
    cluster_id: cluster.id,
    image_type: boot === 'minimal-iso' ? 'minimal-iso' : 'full-iso',
    kernel_arguments: [
      'console=ttyS0',
      'console=tty0',
      // The journal reaches both consoles through the kernel.
      'printk.devkmsg=on',
      `muster.vm_time=${time.port}`,
      `muster.vm_cluster_api=${clusterApi.port}`,
    ].map((value) => ({ operation: 'append', value })),
  });
  return { infraEnvId: infraEnv.id, clusterId: cluster.id };
}

/** Returns what the machine boots from. */
async function prepareBoot(muster, { infraEnvId }, boot, folder) {
  if (boot === 'ipxe') {
    const script = muster.urlForMachine(`/infra-envs/${infraEnvId}/downloads/files?file_name=ipxe-script`);
    mkdirSync(join(folder, 'tftp'));
    writeFileSync(join(folder, 'tftp', 'boot.ipxe'), `#!ipxe\ndhcp\nchain ${script}\n`);
    return { tftp: join(folder, 'tftp') };
  }
  const { url } = await muster.call('GET', `/infra-envs/${infraEnvId}/downloads/image-url`);
  const image = join(folder, 'discovery.iso');
  await muster.download(url, image);
  say(`the ${boot} has ${Math.round(statSync(image).size / 1e6)} MB`);
  return { iso: image };
}

async function hostOf({ muster, infraEnvId }) {
  return (await muster.call('GET', `/infra-envs/${infraEnvId}/hosts`))[0];
}

function openChecks({ validations_info: text }) {
  const all = Object.values(JSON.parse(text || '{}')).flat();
  return all.filter(({ status }) => status !== 'success' && status !== 'disabled');
}

/** From power-on to a host that can be installed: every check passes. */
async function untilKnown(context) {
  const { machine, muster, infraEnvId } = context;
  const onConsole = (pattern) => () => pattern.test(machine.log());
  await reach(
    context,
    'the real ignition applied the configuration',
    420,
    onConsole(/initrd: ignition applied the configuration/),
  );
  await reach(context, 'the host registered', 420, async () => Boolean(await hostOf(context)));
  await reach(context, 'the service has the inventory', 240, async () => Boolean((await hostOf(context)).inventory));
  await shoot(context, 'registered');
  const { id, inventory } = await hostOf(context);
  const found = JSON.parse(inventory);
  say(
    `  ${found.cpu.count} CPUs, ${Math.round(found.memory.physical_bytes / 2 ** 20)} MiB, ${found.disks.length} disks, boot ${found.boot.current_boot_mode}`,
  );
  await muster.call('PATCH', `/infra-envs/${infraEnvId}/hosts/${id}`, { host_name: 'node-0' });
  const passes = async () => {
    const host = await hostOf(context);
    return host.status === 'known' && openChecks(host).length === 0;
  };
  try {
    await reach(context, 'every check passes', 420, passes);
  } catch (error) {
    for (const one of openChecks(await hostOf(context))) say(`  ${one.status} ${one.id}: ${one.message}`);
    throw error;
  }
}

/** From the installation request to the first stage that the installed system reports. */
async function install(context, open) {
  const { machine, muster, clusterApi, clusterId, infraEnvId } = context;
  const images = createServer((request, answer) => {
    // The image has no signature, which --insecure allows.
    if (request.url.endsWith('.sig')) return answer.writeHead(404).end();
    answer.writeHead(200, { 'content-length': statSync(disk).size });
    createReadStream(disk).pipe(answer);
  });
  await new Promise((resolve) => images.listen(0, '127.0.0.1', resolve));
  open.push({ close: () => images.close() });
  const { id } = await hostOf(context);
  await muster.call('PATCH', `/infra-envs/${infraEnvId}/hosts/${id}/installer-args`, {
    args: ['--image-url', `http://10.0.2.2:${images.address().port}/disk.img.gz`],
  });
  await reach(
    context,
    'the cluster is ready',
    120,
    async () => (await muster.call('GET', `/clusters/${clusterId}`)).status === 'ready',
  );
  await muster.call('POST', `/clusters/${clusterId}/actions/install`);
  const stages = [];
  const stageIs =
    (...wanted) =>
    async () => {
      const host = await hostOf(context);
      const { current_stage: stage, progress_info: info } = host.progress ?? {};
      const text = [stage, info].filter(Boolean).join(': ');
      if (text && stages.at(-1) !== text) say(`  stage ${stages[stages.push(text) - 1]}`);
      if (host.status === 'error' || stage === 'Failed')
        throw new Error(`The installation failed: ${host.status_info}`);
      return wanted.includes(stage);
    };
  const bootstrapFile = async () => {
    const text = await muster.text(`/clusters/${clusterId}/downloads/files?file_name=bootstrap.ign`);
    const files = JSON.parse(text).storage.files;
    return (path) =>
      Buffer.from(
        files.find((file) => file.path === `/opt/openshift/tls/${path}`).contents.source.split(',')[1],
        'base64',
      ).toString();
  };
  await reach(
    context,
    'the installation starts',
    420,
    stageIs('Starting installation', 'Installing', 'Waiting for bootkube', 'Writing image to disk'),
  );
  const file = await bootstrapFile();
  clusterApi.serve({
    certificate: file('kube-apiserver-lb-server.crt'),
    key: file('kube-apiserver-lb-server.key'),
    authority: file('root-ca.crt'),
  });
  await reach(context, 'coreos-installer writes the disk', 420, stageIs('Writing image to disk', 'Rebooting'));
  await shoot(context, 'writing');
  await reach(context, 'the machine reboots', 420, stageIs('Rebooting', 'Joined', 'Done'));
  await reach(context, 'the machine boots from its disk', 300, async () =>
    /initrd: this is the installed system/.test(machine.log()),
  );
  await reach(context, 'the node registers at the API of the cluster', 420, async () => clusterApi.nodes().length > 0);
  await reach(context, 'the controller on the disk reports the next stage', 300, stageIs('Joined', 'Done'));
  await shoot(context, 'installed');
  await reach(
    context,
    'the cluster is installed',
    420,
    async () => (await muster.call('GET', `/clusters/${clusterId}`)).status === 'installed',
  );
}

async function reach({ machine, name }, what, seconds, isReached) {
  const end = Date.now() + seconds * 1_000;
  while (Date.now() < end) {
    if (!machine.isRunning()) throw new Error(`The machine ended while waiting: ${what}.`);
    if (await isReached()) return say(`${name}: ${what}`);
    await sleep(1_000);
  }
  throw new Error(`Not reached within ${seconds} s: ${what}.`);
}
