import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type IgnitionConfig, toDataUrl } from '@muster/ignition-config';
import { eventually } from '@muster/testing';
import { CLUSTER_ID, startFakeService } from './fake-service.fixture.spec';
import { HOST_STAGES } from './installation/host-stages';
import { simulatedFleet, type SimulatedFleet, type SimulatedFleetOptions } from './simulated-fleet';
import { createIngressCa } from './world/simulated-cluster';

type Service = Awaited<ReturnType<typeof startFakeService>>;

/** As `eventually`, with more time: an installation takes long on a busy machine. */
const until = async (what: string, happened: () => boolean): Promise<void> => {
  for (const _ of [1, 2, 3]) await eventually(what, happened).catch(() => undefined);
  await eventually(what, happened);
};

describe('a simulated installation', () => {
  jest.setTimeout(120_000);
  let fleet: SimulatedFleet;
  let service: Service;
  afterEach(async () => {
    await fleet.powerOff();
    await service.stop();
  });
  const boot = (options: Partial<SimulatedFleetOptions> & Pick<SimulatedFleetOptions, 'machines'>): void => {
    fleet = simulatedFleet({ seed: 'test', timeScale: 2_000, pollMsMin: 10, ...options });
    for (const machine of fleet.machines) {
      machine.insert(service.settings);
      machine.powerOn();
    }
  };
  const untilInstalled = () => until('the cluster is installed', () => service.clusterStatus() === 'installed');

  it('leads three control plane hosts and two workers through every stage of their role in order', async () => {
    service = await startFakeService({ masters: 3, workers: 2 });
    const shown: string[] = [];
    const percents = new Map<string, number[]>();
    boot({
      machines: 5,
      observer: {
        onStage: ({ hostname }, stage, percent) => {
          shown.push(`${hostname} ${stage}`);
          percents.set(hostname, [...(percents.get(hostname) ?? []), percent]);
        },
      },
    });
    await untilInstalled();

    for (const host of service.hosts.values()) {
      const all: readonly string[] = HOST_STAGES[service.pathOf(host)];
      // The registry is copied only when the image contains one, and a worker may request its Ignition config from the
      // cluster.
      const optional = ['Copying registry data to disk', 'Waiting for ignition', 'Configuring'];
      const missing = all.filter((stage) => !host.stages.includes(stage) && !optional.includes(stage));
      expect(missing).toEqual([]);
    }
    expect(service.refusals).toEqual([]);
    expect(service.finalizingStages).toEqual(['Waiting for cluster operators', 'Adding router ca', 'Done']);
    expect(shown.filter((line) => line.endsWith(' Done')).sort()).toEqual(
      fleet.machines.map(({ hostname }) => `${hostname} Done`).sort(),
    );
    for (const series of percents.values()) {
      expect([...series].sort((a, b) => a - b)).toEqual(series);
      expect(series.at(-1)).toBe(100);
    }
  });

  it('keeps the order in which hosts of different roles advance', async () => {
    service = await startFakeService({ masters: 3, workers: 2 });
    const order: string[] = [];
    const kinds = new Map<string, string>();
    boot({ machines: 5, observer: { onStage: ({ hostId }, stage) => void order.push(`${kindOf(hostId)} ${stage}`) } });
    const kindOf = (hostId: string): string => {
      const host = service.hosts.get(hostId);
      const kind = kinds.get(hostId) ?? (host ? service.pathOf(host) : '');
      kinds.set(hostId, kind);
      return kind;
    };
    await untilInstalled();
    const first = (what: string): number => order.indexOf(what);
    const second = (what: string): number => order.indexOf(what, first(what) + 1);
    expect(second('master Done')).toBeLessThan(first('worker Rebooting'));
    expect(second('master Joined')).toBeLessThan(first('bootstrap Waiting for bootkube'));
    expect(first('bootstrap Waiting for controller')).toBeLessThan(first('bootstrap Rebooting'));
  });

  it('creates logs of every host, and an ingress certificate with its own certificate authority', async () => {
    service = await startFakeService({ masters: 3, workers: 0 });
    boot({ machines: 3 });
    await untilInstalled();
    await until('the controller sends its last logs', () => service.logs.has('controller'));
    for (const { hostId } of fleet.machines) {
      const upload = service.logs.get(hostId) ?? Buffer.alloc(0);
      expect(upload.toString('latin1')).toContain('name="upfile"');
      const archive = gunzipSync(upload.subarray(upload.indexOf('\r\n\r\n') + 4, upload.lastIndexOf('\r\n--')));
      const names = execFileSync('tar', ['t'], { input: archive, encoding: 'utf8' }).trim().split('\n');
      expect(names).toEqual([`logs_host_${hostId}/agent.logs`, `logs_host_${hostId}/installer.logs`]);
    }
    const certificate = new X509Certificate(service.ingressCa());
    expect(certificate.ca).toBe(true);
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.subject).toMatch(/^CN=ingress-operator@\d+$/);
  });

  it('installs a single node in place', async () => {
    service = await startFakeService({ masters: 1, workers: 0 });
    boot({ machines: [{ hostname: 'alone', cpuCount: 8, memoryGib: 32 }] });
    await untilInstalled();
    const [host] = service.hosts.values();
    expect(host?.stages).toEqual(
      HOST_STAGES['single-node'].filter((stage) => stage !== 'Copying registry data to disk'),
    );
  });

  it('continues after a machine with too little memory was repaired', async () => {
    service = await startFakeService({ masters: 1, workers: 0 });
    boot({ machines: [{ hostname: 'weak', fault: 'too-little-memory' }] });
    const machine = fleet.machine('weak');
    await until('the weak machine is seen', () => service.hosts.get(machine.hostId)?.inventory !== undefined);
    expect(service.hosts.get(machine.hostId)?.inventory?.memory.physical_bytes).toBe(4 * 1024 ** 3);
    expect(service.clusterStatus()).toBe('insufficient');
    await machine.repair();
    await untilInstalled();
    expect(service.hosts.get(machine.hostId)?.registrations).toBe(2);
  });

  it('completes although the service is unavailable repeatedly and replies are lost', async () => {
    service = await startFakeService({ masters: 3, workers: 1 });
    const machines = Array.from({ length: 4 }, () => ({ mishaps: { lostReplies: 0.3 } }));
    boot({ machines, timeScale: 500 });
    for (const after of ['Installing', 'Rebooting', 'Joined']) {
      await until(`a host is at ${after}`, () =>
        [...service.hosts.values()].some(({ stages }) => stages.includes(after)),
      );
      await service.goAway();
      await new Promise((resolve) => setTimeout(resolve, 100));
      await service.comeBack();
    }
    await untilInstalled();
    expect(service.refusals).toEqual([]);
  });

  it('fails when a host restarts while it writes its disk', async () => {
    service = await startFakeService({ masters: 3, workers: 0 });
    const troubles: string[] = [];
    boot({
      machines: [{}, { mishaps: { restartsWhileWriting: true } }, {}],
      observer: { onTrouble: (_host, what) => void troubles.push(what) },
    });
    const victim = fleet.machines[1];
    await until('the host boots the image again', () => service.hosts.get(victim?.hostId ?? '')?.registrations === 2);
    expect(service.clusterStatus()).toBe('error');
    expect(troubles).toContain('the machine restarts while it writes its disk (simulated)');
  });

  it('gives each node its own name and the configuration of its pool', async () => {
    service = await startFakeService({ masters: 3, workers: 1 });
    boot({ machines: 4 });
    await untilInstalled();
    const { machineConfigServer } = fleet.world.cluster(CLUSTER_ID);
    expect([...(machineConfigServer?.asked ?? [])].sort()).toEqual([
      '/config/master',
      '/config/master',
      '/config/master',
      '/config/worker',
    ]);
    for (const { hostId, hostname } of fleet.machines) {
      const root = fleet.world.roots.of(hostId, 'installed');
      expect(readFileSync(join(root, 'etc/hostname'), 'utf8')).toBe(hostname);
      expect(existsSync(join(root, 'etc/ignition-machine-config-encapsulated.json'))).toBe(true);
    }
  });

  it('lets the controller do all its work with the role that the installer gives it', async () => {
    service = await startFakeService({ masters: 3, workers: 0 });
    const said: string[] = [];
    boot({ machines: 3, observer: { onController: (_, what) => void said.push(what) } });
    const cluster = fleet.world.cluster(CLUSTER_ID);
    await until('the address of the name server is free', () => cluster.dnsService === 'dns-default');
    await untilInstalled();
    expect(said.filter((line) => line.includes('does not permit'))).toEqual([]);
  });

  it.each([
    [
      'bootstrap.ign',
      '/opt/openshift/tls/machine-config-server.key',
      '/opt/openshift/tls/other.key',
      /machine-config-server\.key is missing/,
    ],
    [
      'bootstrap.ign',
      '"enabled":false,"name":"bootkube.service"',
      '"enabled":false,"name":"other.service"',
      /bootkube\.service is missing/,
    ],
  ])('fails when %s lacks %s', async (spoilt, from, to, reason) => {
    const spoil = (name: string, text: string): string => {
      if (name !== spoilt) return text;
      expect(text).toContain(from);
      return text.replace(from, to);
    };
    service = await startFakeService({ masters: 3, workers: 0, spoil });
    boot({ machines: 3 });
    await until('the bootstrap host fails', () => service.clusterStatus() === 'error');
    await until('the reason is reported', () => service.failures.some((info) => reason.test(info)));
  });

  it('stops machines that do not trust the machine-config server', async () => {
    const other = await createIngressCa(Date.now());
    const spoil = (name: string, text: string): string => {
      const config = JSON.parse(name.endsWith('.ign') ? text : '{}') as IgnitionConfig;
      const tls = { certificateAuthorities: [{ source: toDataUrl(other) }] };
      if (!config.ignition?.security) return text;
      return JSON.stringify({ ...config, ignition: { ...config.ignition, security: { tls } } });
    };
    service = await startFakeService({ masters: 3, workers: 0, spoil });
    const troubles: string[] = [];
    boot({ machines: 3, observer: { onTrouble: (_, what) => void troubles.push(what) } });
    await until('the machines stop in their first boot', () => troubles.length >= 2);
    for (const trouble of troubles)
      expect(trouble).toMatch(
        /Ignition could not fetch https:\/\/api-int\.fake\.example\.com:22623\/config\/master: .*certificate/,
      );
    expect(fleet.world.cluster(CLUSTER_ID).nodes.size).toBe(0);
  });
});
