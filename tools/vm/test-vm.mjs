/**
 * Boots machines from what Muster serves and follows them: the real `ignition` applies the configuration, the host downloads
 * `muster-host`, registers and passes its checks. The first scenario continues: the real coreos-installer writes the disk, and the
 * machine reboots from it. Stand-ins of what cannot be had: `stand-ins.mjs`.
 *
 * The scenario three-machines is not played unless it is named. Several scenarios are played in separate processes, two at a time:
 * a machine needs about one processor.
 *
 * Options: `--scenario=<name>` (repeatable), `--keep` leaves the folder with the logs, `--build` builds coreos-installer with cargo.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { startClusterApi, startMachineConfigServer, startTimeServer } from './cluster-api.mjs';
import { COREOS_INSTALLER_VERSION, findCoreosInstaller } from './coreos-installer.mjs';
import { startNetwork } from './ethernet.mjs';
import { createCluster, install, prepareBoot, untilKnown } from './installation.mjs';
import { liveImage, NEEDED } from './live-image.mjs';
import { playNetworkRamdisk } from './network-ramdisk.mjs';
import { isBuilt, startMuster } from './muster-process.mjs';
import { CLUSTER_ADDRESS } from './stand-ins.mjs';
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
  // Three machines take far longer than one, so this one is played only by name.
  { name: 'three-machines', firmware: 'bios', boot: 'full-iso', isInstalled: true, machines: 3, isByName: true },
];
const SCENARIOS_AT_ONCE = 2;
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
const scenarios = SCENARIOS.filter(({ name, isByName }) => (asked.length > 0 ? asked.includes(name) : !isByName));
const failed = scenarios.length > 1 ? await playAll(scenarios) : await playOne(scenarios[0]);
if (failed.length > 0) {
  say(`failed: ${failed.join(', ')}`);
  process.exit(1);
}
say('passed');

/** Plays each scenario in a process of its own; returns the names of those that failed. */
async function playAll(all) {
  const waiting = [...all];
  const failures = [];
  const others = options.filter((option) => !option.startsWith('--scenario='));
  const playWaiting = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { name } = next;
      const args = [process.argv[1], `--scenario=${name}`, ...others];
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
      for (const stream of [child.stdout, child.stderr])
        createInterface({ input: stream }).on('line', (line) => console.log(`${name.padEnd(15)} | ${line}`));
      const code = await new Promise((resolve) => child.once('close', resolve));
      if (code !== 0) failures.push(name);
    }
  };
  await Promise.all(Array.from({ length: SCENARIOS_AT_ONCE }, playWaiting));
  return failures;
}

/** Plays the scenario in this process; returns its name in a list when it failed. */
async function playOne(scenario) {
  const { name, firmware, isInstalled } = scenario;
  if (firmware === 'uefi' && !hasUefi()) {
    console.log(`skipped: ${name} (ovmf missing)`);
    return [];
  }
  if (isInstalled && !coreosInstaller)
    console.log(
      `skipped: the installation in ${name} (coreos-installer ${COREOS_INSTALLER_VERSION} missing; run with --build)`,
    );
  return (await play(scenario)) ? [] : [name];
}

/** Returns whether the scenario passed. */
async function play(scenario) {
  const { name, firmware, boot, machines: count = 1 } = scenario;
  const folder = mkdtempSync(join(tmpdir(), 'muster-vm-'));
  if (scenario.play) return playOther(scenario, folder);
  const open = [];
  const machines = [];
  let muster;
  try {
    const [time, clusterApi, machineConfigServer] = [
      await startTimeServer(),
      await startClusterApi(),
      await startMachineConfigServer(),
    ];
    open.push(time, clusterApi, machineConfigServer);
    const forwards = [
      { address: CLUSTER_ADDRESS, port: 6443, to: clusterApi.port },
      { address: CLUSTER_ADDRESS, port: 22623, to: machineConfigServer.port },
    ];
    const network = count > 1 ? await startNetwork({ folder, forwards }) : undefined;
    if (network) open.push(network);
    muster = await startMuster({ folder, iso });
    say(`${name}: Muster is ready`);
    const ids = await createCluster(muster, { boot, count, time, pullSecret: PULL_SECRET });
    const media = await prepareBoot(muster, ids, { boot, folder, say });
    for (let index = 0; index < count; index += 1)
      machines.push(startOne({ folder, media, firmware, index, network, forwards }));
    say(`${name}: ${count > 1 ? `${count} machines start` : 'the machine starts'} (${firmware}, ${boot})`);
    const context = { name, folder, machines, muster, clusterApi, machineConfigServer, say, ...ids };
    await untilKnown(context);
    if (scenario.isInstalled && coreosInstaller) await install(context, { disk, open });
    return true;
  } catch (error) {
    say(`${name} failed: ${error.message}`);
    for (const { machine } of machines) console.log(machine.log().split('\n').slice(-60).join('\n'));
    if (muster) console.log(muster.log().split('\n').slice(-20).join('\n'));
    console.log(`Logs: ${folder}`);
    return false;
  } finally {
    for (const { folder: own, machine, serial } of machines) {
      await shoot({ name, folder: own, machine }, `end${count > 1 ? `-${serial}` : ''}`).catch((error) =>
        say(`no picture: ${error.message}`),
      );
      writeFileSync(join(own, 'console.log'), machine.log());
      await machine.stop();
    }
    if (muster) {
      writeFileSync(join(folder, 'muster.log'), muster.log());
      await muster.stop();
    }
    for (const one of open) one.close();
    if (!options.includes('--keep') && !process.exitCode) {
      rmSync(join(folder, 'discovery.iso'), { force: true });
      for (const { folder: own } of machines)
        for (const one of ['data', 'disk']) rmSync(join(own, one), { force: true });
    }
  }
}

/** Starts the machine with this index. With a network, its card is on the switch and it has one processor. */
function startOne({ folder: parent, media, firmware, index, network, forwards }) {
  const folder = network ? join(parent, `machine-${index}`) : parent;
  if (network) mkdirSync(folder);
  const serial = `VM000${index + 1}`;
  const machine = startMachine({
    folder,
    ...media,
    disks: [createDisk(join(folder, 'data'), 1), createDisk(join(folder, 'disk'), 120)],
    firmware,
    serial,
    ...(network ? { cpus: 1, cards: [{ mac: `52:54:00:12:34:5${6 + index}`, cable: network.path }] } : { forwards }),
  });
  return { folder, machine, serial };
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
