import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readBootImageFile } from '@muster/service-agent';
import { simulatedFleet, type SimulatedFleet, type SimulatedMachine } from '@muster/tool-simulator';

/** One command line, or one action between two command lines. */
export type ClientStep =
  | {
      readonly kind: 'command';
      readonly args: readonly string[];
      /** Expression that the output must match. */
      readonly says?: RegExp;
      /** A file that the command must create: its path in the folder and an expression for its content. */
      readonly leaves?: readonly [path: string, content: RegExp];
    }
  | { readonly kind: 'happening'; readonly name: string; readonly happen: () => Promise<void> };

const TIME_SCALE = 300;
const NETWORK = '192.168.130.0/24';
const LOOK_AGAIN_MS = 100;
const TIMEOUT_MS = 20_000;

export interface Stage {
  readonly folder: string;
  /** `…/api/assisted-install/v2` */
  readonly api: string;
}

interface Named {
  readonly id: string;
  readonly name: string;
  readonly download_url: string;
}
interface Host {
  readonly id: string;
  readonly status: string;
  readonly status_info?: string;
  readonly requested_hostname?: string;
}

const command = (
  line: string,
  expected: { readonly says?: RegExp; readonly leaves?: readonly [string, RegExp] } = {},
): ClientStep => ({ kind: 'command', args: line.split(' '), ...expected });

/**
 * Returns every command of aicli that calls the service, in the order of the life of a cluster. `fleets` must be
 * switched off afterwards.
 */
export function stepsOf(stage: Stage): { readonly steps: readonly ClientStep[]; readonly fleets: SimulatedFleet[] } {
  const { folder } = stage;
  const fleets: SimulatedFleet[] = [];
  const happening = (name: string, happen: () => Promise<void>): ClientStep => ({ kind: 'happening', name, happen });
  const machines = (prefix: string, count: number, firstAddress: number): SimulatedFleet => {
    const fleet = simulatedFleet({
      machines: count,
      namePrefix: prefix,
      seed: `clients ${prefix}`,
      timeScale: TIME_SCALE,
      machineNetwork: NETWORK,
      firstAddress,
      transport: 'http',
    });
    fleets.push(fleet);
    return fleet;
  };
  const labMachines = machines('lab', 4, 20);
  const poolMachines = machines('pool', 1, 60);
  /** Boots machines from the image that aicli downloaded. */
  const boot = (iso: string, which: readonly SimulatedMachine[]): ClientStep =>
    happening(`${which.map(({ hostname }) => hostname).join(', ')} boot(s) from ${iso}`, async () => {
      for (const machine of which) {
        machine.insert(await readBootImageFile(join(folder, iso)));
        machine.powerOn();
      }
    });
  const untilHosts = (infraEnv: string, count: number, status: string): ClientStep =>
    happening(`${count} host(s) of ${infraEnv} are ${status}`, async () => {
      const { id } = await one(stage, '/infra-envs', infraEnv);
      await until(`${count} host(s) of ${infraEnv} are ${status}`, async () => {
        const hosts = await get<Host[]>(stage, `/infra-envs/${id}/hosts`);
        return hosts.filter((host) => host.status === status).length === count || describeHosts(hosts);
      });
    });

  mkdirSync(join(folder, 'manifests'), { recursive: true });
  mkdirSync(join(folder, 'downloads'), { recursive: true });
  writeFileSync(
    join(folder, 'manifests', '99-note.yaml'),
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: note, namespace: openshift-config}\n',
  );
  writeFileSync(join(folder, 'extra.ign'), JSON.stringify({ ignition: { version: '3.2.0' } }));
  writeFileSync(
    join(folder, 'static.yml'),
    [
      'openshift_version: "4.20"',
      'static_network_config:',
      '- interfaces:',
      '  - {name: eth0, type: ethernet, state: up, mac-address: "52:54:00:00:00:01",',
      '     ipv4: {enabled: true, dhcp: false, address: [{ip: 192.168.130.77, prefix-length: 24}]}}',
      '',
    ].join('\n'),
  );

  const steps: ClientStep[] = [
    command('info service', { says: /supported openshift versions: .*4\.20/ }),
    command('list cluster'),
    ...['all', 'cluster', 'extra', 'host', 'infraenv'].map((what) =>
      command(`list ${what}-keyword`, { says: /Keyword/ }),
    ),

    // Create a cluster and the image of its hosts.
    command('create cluster lab -P openshift_version=4.18 -P base_dns_domain=example.com', {
      says: /Using version 4\.18/,
    }),
    command('create cluster later -P openshift_version=4.20 -P sno=True', { says: /Using version 4\.20/ }),
    command('-o json list cluster', { says: /"name": "lab"/ }),
    command('list infraenv', { says: /lab_infra-env[\s\S]*later_infra-env/ }),
    command('info cluster lab', { says: /status: (insufficient|pending-for-input)/ }),
    command('info cluster lab --full', { says: /validations_info/ }),
    command('info cluster lab --preflight', { says: /requirements/ }),
    command('info cluster later -f high_availability_mode', { says: /None/ }),
    command('info infraenv lab', { says: /download_url/ }),
    command('info iso lab', { says: /https?:\/\// }),
    command('export cluster lab', { says: /base_dns_domain: example\.com/ }),
    command('update cluster lab -P api_vip=192.168.130.100 -P ingress_vip=192.168.130.101'),
    command('update infraenv lab -P additional_ntp_sources=ntp.example.com'),
    command('update iso lab -P minimal=True'),
    command('update iso lab -P minimal=False'),
    command('create iso lab', { says: /https?:\/\// }),
    command('update installconfig lab -P installconfig={"controlPlane":{"hyperthreading":"Enabled"}}'),
    command('download installconfig lab --path downloads', {
      leaves: ['downloads/install-config.yaml.lab', /hyperthreading/],
    }),
    command('create manifest lab --dir manifests'),
    command('list manifest lab', { says: /99-note\.yaml/ }),
    command('download manifests lab --path downloads', { leaves: ['downloads/99-note.yaml', /ConfigMap/] }),
    command('delete manifest -y lab 99-note.yaml'),
    command('download discovery-ignition lab -p downloads', { leaves: ['downloads/discovery.ign.lab', /"ignition"/] }),
    command('download ipxe-script lab -p downloads', { leaves: ['downloads/ipxe-script.lab', /^#!ipxe/] }),
    command('download iso lab -p downloads', { leaves: ['downloads/lab.iso', /CD001/] }),
    command('download initrd lab', { says: /not implemented/ }),
    command('create infraenv static --paramfile static.yml'),
    command('info static-network-config static', { says: /192\.168\.130\.77/ }),
    command('download static-network-config static -p downloads', {
      leaves: ['downloads/static-network-config.static.tar', /./],
    }),
    command('create fakehost static'),
    command('list host', { says: /static/ }),

    // Boot hosts, cancel one installation, and install.
    boot('downloads/lab.iso', labMachines.machines.slice(0, 3)),
    command('wait host lab -n 3'),
    command('list host', { says: /lab-3/ }),
    command('info host lab-1', { says: /status: known/ }),
    command('update host lab-1 -P role=master -P name=lab-one -P labels=[rack=a]'),
    command('update host lab-one -P disk=sda'),
    command('update host lab-one -P ignition_file=extra.ign'),
    command('update host lab-one -P extra_args=--append-karg=quiet', {}),
    command('info host lab-one --full', { says: /"rack": *"a"|rack/ }),
    command('info validation lab --all', { says: /pull-secret-set/ }),
    command('wait cluster lab -s ready'),
    command('start cluster lab'),
    command('stop cluster lab'),
    happening('the machines boot the discovery image again', async () => {
      for (const machine of labMachines.machines.slice(0, 3)) await machine.restart('media');
    }),
    command('wait cluster lab -s ready'),
    command('start cluster lab'),
    command('wait cluster lab', { says: /lab/ }),
    command('info cluster lab', { says: /status: installed/ }),
    command('list event lab', { says: /installed/ }),
    command('download kubeconfig lab --path downloads', { leaves: ['downloads/kubeconfig.lab', /kind: Config/] }),
    command('download kubeadmin-password lab --path downloads', { leaves: ['downloads/kubeadmin-password.lab', /\S/] }),
    command('download ignition lab -p downloads', { leaves: ['downloads/worker.ign.lab', /"ignition"/] }),

    // Add a host to the installed cluster.
    command('update cluster lab -P day2=True -P infraenv=False'),
    command('info cluster lab', { says: /status: adding-hosts/ }),
    boot('downloads/lab.iso', labMachines.machines.slice(3)),
    untilHosts('lab_infra-env', 1, 'known'),
    command('start host lab-4'),
    untilHosts('lab_infra-env', 1, 'added-to-existing-cluster'),
    command('start infraenv lab', { says: /Skipping installed/ }),
    command('stop host lab-4', { says: /Skipping/ }),
    command(
      'create cluster other-day2 -P openshift_version=4.18 -P domain=example.com -P api_vip_dnsname=192.168.130.200',
    ),
    command('create cluster lab-day2'),

    // Boot hosts before they have a cluster.
    command('create infraenv pool -P openshift_version=4.18'),
    command('download iso pool -p downloads', { leaves: ['downloads/pool.iso', /CD001/] }),
    boot('downloads/pool.iso', poolMachines.machines),
    untilHosts('pool', 1, 'known-unbound'),
    command('create cluster late -P openshift_version=4.18 -P infraenv=False'),
    command('bind host pool-1 late'),
    happening('the host is bound to its cluster', () => untilBound(stage, 'pool', true)),
    command('unbind host pool-1'),
    untilHosts('pool', 1, 'known-unbound'),
    command('bind infraenv pool late'),
    happening('the host is bound to its cluster', () => untilBound(stage, 'pool', true)),
    command('unbind infraenv pool'),
    untilHosts('pool', 1, 'known-unbound'),

    // Delete everything.
    command('delete host -y pool-1'),
    command('delete infraenv -y pool --force'),
    command('delete infraenv -y static --force'),
    command('delete cluster -y --all'),
    command('list cluster'),
  ];
  return { steps, fleets };
}

/** Returns why the result of a command is not as expected; undefined when it is. */
export function validationErrorOf(
  step: Extract<ClientStep, { kind: 'command' }>,
  outcome: { readonly exitCode: number | undefined; readonly output: string },
  folder: string,
): string | undefined {
  const tail = outcome.output.trim().split('\n').slice(-4).join(' | ').slice(-600);
  if (outcome.exitCode === undefined) return `it exceeded the time limit: ${tail}`;
  if (outcome.exitCode !== 0) return tail;
  // It reports what it could not find and exits with success.
  if (/(?<!Base )Cluster \S+ not found|Infraenv \S+ not found|Traceback|No Matching/.test(outcome.output)) return tail;
  if (step.says && !step.says.test(outcome.output)) return `the output does not match ${String(step.says)}: ${tail}`;
  if (!step.leaves) return undefined;
  const [path, content] = step.leaves;
  const file = join(folder, path);
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return `it created no file ${path}`;
  return content.test(readFileSync(file, 'latin1')) ? undefined : `${path} does not contain ${String(content)}`;
}

async function get<Answer>({ api }: Stage, path: string): Promise<Answer> {
  const response = await fetch(`${api}${path}`);
  if (!response.ok) throw new Error(`GET ${path}: ${response.status} ${(await response.text()).slice(0, 300)}`);
  // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- the caller names the type; the gateway's tests check every answer against the API document
  return (await response.json()) as Answer;
}

async function one(stage: Stage, path: string, name: string): Promise<Named> {
  const found = (await get<Named[]>(stage, path)).find((item) => item.name === name);
  if (!found) throw new Error(`${path} does not contain ${name}.`);
  return found;
}

async function untilBound(stage: Stage, infraEnv: string, isBound: boolean): Promise<void> {
  const { id } = await one(stage, '/infra-envs', infraEnv);
  const settled = isBound ? ['known', 'insufficient', 'pending-for-input'] : ['known-unbound'];
  await until(`the host of ${infraEnv} is ${isBound ? 'bound' : 'unbound'}`, async () => {
    const hosts = await get<Host[]>(stage, `/infra-envs/${id}/hosts`);
    return hosts.every(({ status }) => settled.includes(status)) || describeHosts(hosts);
  });
}

const describeHosts = (hosts: readonly Host[]): string =>
  hosts
    .map(({ requested_hostname, status, status_info }) => `${requested_hostname} ${status} (${status_info})`)
    .join(', ');

/** Polls until the condition holds. The error contains the last result. */
async function until(what: string, look: () => Promise<true | string>): Promise<void> {
  let last: true | string = 'nothing';
  for (let waitedMs = 0; waitedMs < TIMEOUT_MS; waitedMs += LOOK_AGAIN_MS) {
    last = await look();
    if (last === true) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
  throw new Error(`Condition not met: ${what}. Last state: ${last}`);
}
