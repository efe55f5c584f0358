/** Follows machines from the power-on to an installed cluster. All functions work for one machine and for several. */
import { createReadStream, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { sleep } from './muster-process.mjs';
import { shoot } from './virtual-machine.mjs';

/** Longest time of a step. An idle machine with 2 processors takes 90 s for the longest one, a busy machine several times as long. */
const STEP_SECONDS = 600;
/** Several machines share the processors of this one. */
const SHARED_FACTOR = 4;

export async function createCluster(muster, { boot, count, time, pullSecret }) {
  const common = { openshift_version: '4.18', cpu_architecture: 'x86_64', pull_secret: pullSecret };
  const cluster = await muster.call('POST', '/clusters', {
    ...common,
    name: 'edge',
    base_dns_domain: 'example.com',
    control_plane_count: count,
    high_availability_mode: count > 1 ? 'Full' : 'None',
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
      // On a busy processor the kernel does not see the ticks of the timer that it checks for.
      'no_timer_check',
      `muster.vm_time=${time.port}`,
    ].map((value) => ({ operation: 'append', value })),
  });
  return { infraEnvId: infraEnv.id, clusterId: cluster.id };
}

/** Returns what the machines boot from. */
export async function prepareBoot(muster, { infraEnvId }, { boot, folder, say }) {
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

const hostsOf = ({ muster, infraEnvId }) => muster.call('GET', `/infra-envs/${infraEnvId}/hosts`);

function openChecks({ validations_info: text }) {
  const all = Object.values(JSON.parse(text || '{}')).flat();
  return all.filter(({ status }) => status !== 'success' && status !== 'disabled');
}

/** From power-on to hosts that can be installed: every check passes. */
export async function untilKnown(context) {
  const { infraEnvId, machines, muster, say } = context;
  const count = machines.length;
  const [each, hosts] = count > 1 ? ['each machine', `${count} hosts`] : ['the machine', 'the host'];
  const onConsoles = (pattern) => () => machines.every(({ machine }) => pattern.test(machine.log()));
  const applied = onConsoles(/initrd: ignition applied the configuration/);
  await reach(context, `the real ignition applied the configuration on ${each}`, applied);
  await reach(context, `${hosts} registered`, async () => (await hostsOf(context)).length === count);
  await reach(context, 'the service has the inventory', async () =>
    (await hostsOf(context)).every(({ inventory }) => Boolean(inventory)),
  );
  await shootAll(context, 'registered');
  for (const { id, inventory } of await hostsOf(context)) {
    const found = JSON.parse(inventory);
    const index = machines.findIndex(({ serial }) => found.system_vendor.serial_number === serial);
    say(
      `  ${found.cpu.count} CPUs, ${Math.round(found.memory.physical_bytes / 2 ** 20)} MiB, ${found.disks.length} disks, boot ${found.boot.current_boot_mode}, ${found.interfaces.flatMap((one) => one.ipv4_addresses).join(' ')}`,
    );
    await muster.call('PATCH', `/infra-envs/${infraEnvId}/hosts/${id}`, { host_name: `node-${index}` });
  }
  try {
    await reach(context, 'every check passes', async () =>
      (await hostsOf(context)).every((host) => host.status === 'known' && openChecks(host).length === 0),
    );
  } catch (error) {
    for (const host of await hostsOf(context))
      for (const one of openChecks(host)) say(`  ${host.requested_hostname} ${one.status} ${one.id}: ${one.message}`);
    throw error;
  }
  if (count > 1) await checkConnectivity(context);
}

/** Each host must have reached each other host, by address and by frame. */
async function checkConnectivity({ name, say, ...context }) {
  const hosts = await hostsOf(context);
  for (const host of hosts) {
    const report = JSON.parse(host.connectivity || '{}').remote_hosts ?? [];
    for (const other of hosts.filter(({ id }) => id !== host.id)) {
      const found = report.find(({ host_id: id }) => id === other.id);
      for (const layer of ['l2_connectivity', 'l3_connectivity'])
        if (!found?.[layer]?.some(({ successful }) => successful))
          throw new Error(
            `${host.requested_hostname} has no ${layer} with ${other.requested_hostname}: ${JSON.stringify(found)}`,
          );
    }
  }
  say(`${name}: every host reaches every other host`);
}

/** From the installation request to an installed cluster. */
export async function install(context, { disk, open }) {
  const { machines, muster, clusterApi, machineConfigServer, clusterId, infraEnvId, say, name } = context;
  const images = createServer((request, answer) => {
    // The image has no signature, which --insecure allows.
    if (request.url.endsWith('.sig')) return answer.writeHead(404).end();
    answer.writeHead(200, { 'content-length': statSync(disk).size });
    createReadStream(disk).pipe(answer);
  });
  await new Promise((resolve) => images.listen(0, '127.0.0.1', resolve));
  open.push({ close: () => images.close() });
  for (const { id } of await hostsOf(context))
    await muster.call('PATCH', `/infra-envs/${infraEnvId}/hosts/${id}/installer-args`, {
      args: ['--image-url', `http://10.0.2.2:${images.address().port}/disk.img.gz`],
    });
  const statusIs = (wanted) => async () => (await muster.call('GET', `/clusters/${clusterId}`)).status === wanted;
  await reach(context, 'the cluster is ready', statusIs('ready'));
  await muster.call('POST', `/clusters/${clusterId}/actions/install`);
  const seen = new Map();
  /** Whether each host (with `any`: one host) had one of the stages. */
  const stageWas =
    (wanted, { any = false } = {}) =>
    async () => {
      const hosts = await hostsOf(context);
      for (const host of hosts) keepStage(host, seen, say);
      const hadOne = ({ id }) => wanted.some((stage) => seen.get(id)?.stages.has(stage));
      return any ? hosts.some(hadOne) : hosts.every(hadOne);
    };
  const started = ['Starting installation', 'Installing', 'Waiting for bootkube', 'Writing image to disk'];
  await reach(context, 'the installation starts', stageWas(started, { any: true }));
  await serveCluster(context, { clusterApi, machineConfigServer });
  if (machines.length > 1) {
    const bootstrap = (await hostsOf(context)).filter((host) => host.bootstrap);
    if (bootstrap.length !== 1) throw new Error(`The cluster has ${bootstrap.length} bootstrap hosts.`);
    say(`${name}: the bootstrap host is ${bootstrap[0].requested_hostname}`);
  }
  const ended = ['Joined', 'Done'];
  await reach(context, 'coreos-installer writes the disk', stageWas(['Writing image to disk', 'Rebooting']));
  await shootAll(context, 'writing');
  await reach(context, 'the machine reboots', stageWas(['Rebooting', ...ended]));
  await reach(context, 'the machine boots from its disk', async () =>
    machines.every(({ machine }) => /initrd: this is the installed system/.test(machine.log())),
  );
  await reach(
    context,
    'the node registers at the API of the cluster',
    async () => clusterApi.nodes().length === machines.length,
  );
  await reach(context, 'the controller on the disk reports the next stage', stageWas(ended));
  await shootAll(context, 'installed');
  await reach(context, 'the cluster is installed', statusIs('installed'));
}

/** Prints each new stage of a host. */
function keepStage({ id, progress, requested_hostname: hostname, status, status_info: info }, seen, say) {
  const { current_stage: stage, progress_info: detail } = progress ?? {};
  const text = [stage, detail].filter(Boolean).join(': ');
  const known = seen.get(id) ?? { stages: new Set(), last: '' };
  seen.set(id, known);
  if (text && known.last !== text) say(`  ${hostname}: stage ${text}`);
  known.last = text;
  known.stages.add(stage);
  if (status === 'error' || stage === 'Failed') throw new Error(`The installation of ${hostname} failed: ${info}`);
}

/** Gives the stand-ins of the cluster the certificates that the service made. */
async function serveCluster({ machines, muster, clusterId }, { clusterApi, machineConfigServer }) {
  const text = await muster.text(`/clusters/${clusterId}/downloads/files?file_name=bootstrap.ign`);
  const { files } = JSON.parse(text).storage;
  const file = (path) => {
    const { source } = files.find((one) => one.path === `/opt/openshift/tls/${path}`).contents;
    return Buffer.from(source.split(',')[1], 'base64').toString();
  };
  const pair = (name) => ({ certificate: file(`${name}.crt`), key: file(`${name}.key`) });
  clusterApi.serve({ ...pair('kube-apiserver-lb-server'), authority: file('root-ca.crt') });
  if (machines.length > 1) machineConfigServer.serve(pair('machine-config-server'));
}

async function shootAll({ name, machines }, moment) {
  for (const { folder, machine, serial } of machines)
    await shoot({ name, folder, machine }, machines.length > 1 ? `${moment}-${serial}` : moment);
}

async function reach({ machines, name, say }, what, isReached) {
  const allowed = STEP_SECONDS * (machines.length > 1 ? SHARED_FACTOR : 1);
  const end = Date.now() + allowed * 1_000;
  while (Date.now() < end) {
    const stopped = machines.find(({ machine }) => !machine.isRunning());
    if (stopped) throw new Error(`The machine ${stopped.serial} ended while waiting: ${what}.`);
    const panicked = machines.find(({ machine }) => /Kernel panic/.test(machine.log()));
    if (panicked) throw new Error(`The kernel of machine ${panicked.serial} panicked while waiting: ${what}.`);
    if (await isReached()) return say(`${name}: ${what}`);
    await sleep(1_000);
  }
  throw new Error(`Not reached within ${allowed} s: ${what}.`);
}
