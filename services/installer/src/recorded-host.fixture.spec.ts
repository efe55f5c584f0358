import { setImmediate } from 'node:timers/promises';
import type { ServiceApi } from '@muster/host-api';
import type { ClusterApi, KubeObject } from '@muster/ports';
import type { CommandResult, Host } from './host.port';
import type { InstallerOptions } from './installation';
import { runInstaller } from './run-installer';
import { parseInstallFlags } from './settings';

export const HOST_ID = '2b1c3f00-0000-4000-8000-000000000001';
export const CLUSTER_ID = 'c1000000-0000-4000-8000-000000000001';
/** Sizes of the partitions of an operating system image. */
const PARTITION_BYTES = [1_048_576, 133_169_152, 402_653_184, 3_000_000_000];
const PARTITIONS = PARTITION_BYTES.map((size, index) => ({ name: `sda${index + 1}`, size }));
const LSBLK = { blockdevices: [{ name: 'sda', type: 'disk', size: 120_000_000_000, children: PARTITIONS }] };
const POINTER = {
  ignition: {
    version: '3.2.0',
    config: { merge: [{ source: 'https://api-int.edge.example.com:22623/config/master' }] },
  },
};

/** Recorded replies of real programs, by the beginning of the command line. */
export type Recording = readonly (readonly [string, Partial<CommandResult> | string])[];

export interface RecordedRun {
  /** Command lines in the order of their execution. */
  readonly commands: readonly string[];
  /** Command lines that have a time limit. */
  readonly limited: ReadonlySet<string>;
  /** Variables that were set, by command line. */
  readonly environments: ReadonlyMap<string, { readonly [name: string]: string }>;
  /** `<stage>` or `<stage>: <info>`, in order. */
  readonly stages: readonly string[];
  readonly notes: readonly string[];
  readonly phases: readonly string[];
  readonly files: ReadonlyMap<string, string>;
  readonly failure?: string;
}

/** Runs an installation with recorded outputs. Waits return immediately. */
export async function runRecorded(options: {
  readonly flags?: readonly string[];
  readonly recording?: Recording;
  readonly files?: { readonly [path: string]: string };
  /** A path on a medium that was removed. */
  readonly unreadable?: string;
  readonly api?: Partial<ServiceApi>;
  readonly cluster?: Partial<ClusterApi>;
  /** Number of rounds without output after which coreos-installer ends. */
  readonly silentRounds?: number;
  readonly fetchConfig?: InstallerOptions['fetchConfig'];
  readonly signal?: AbortSignal;
}): Promise<RecordedRun> {
  const commands: string[] = [];
  const limited = new Set<string>();
  const environments = new Map<string, { readonly [name: string]: string }>();
  const stages: string[] = [];
  const notes: string[] = [];
  const phases: string[] = [];
  const files = new Map(Object.entries(options.files ?? {}));
  const silences = (): number => stages.filter((stage) => stage.includes('has printed nothing')).length;
  const recording: Recording = [
    ...(options.recording ?? []),
    ['readlink', '/dev/sda\n'],
    ['dmsetup ls', 'No devices found\n'],
    ['lsblk', JSON.stringify(LSBLK)],
  ];
  const host: Host = {
    run: async (program, args, { environment = {}, onLine, timeoutMs }) => {
      const line = [program, ...args].join(' ');
      commands.push(line);
      environments.set(line, environment);
      if (timeoutMs !== undefined) limited.add(line);
      const found = recording.find(([start]) => line.startsWith(start))?.[1] ?? '';
      const result = {
        exitCode: 0,
        stdout: '',
        stderr: '',
        ...(typeof found === 'string' ? { stdout: found } : found),
      };
      while (program === 'coreos-installer' && silences() < (options.silentRounds ?? 0)) await setImmediate();
      for (const one of `${result.stderr}\n${result.stdout}`.split(/[\r\n]/)) onLine?.(one);
      return result;
    },
    readFile: async (path) => {
      const text = files.get(path);
      return text === undefined ? undefined : Buffer.from(text);
    },
    writeFile: async (path, content) => void files.set(path, content.toString()),
    exists: async (path) => {
      if (path === options.unreadable) throw new Error(`EIO: i/o error, access '${path}'`);
      return path === '/dev/sda' || files.has(path);
    },
    list: async (path) =>
      [...files.keys()].flatMap((file) => (file.startsWith(`${path}/`) ? [file.slice(path.length + 1)] : [])),
  };
  const api = {
    hostIgnition: async () => Buffer.from(JSON.stringify(POINTER)),
    cluster: async () => ({ status: 'installing', hosts: [] }),
    hostsOfRole: async () => [],
    clusterFile: async () => Buffer.from(JSON.stringify({ ignition: { version: '3.2.0' } })),
    reportHostProgress: async (_host: unknown, stage: string, info: string) =>
      void stages.push(info ? `${stage}: ${info}` : stage),
    reportHostLogs: async () => undefined,
    ...options.api,
  } as unknown as ServiceApi;
  const none = async (): Promise<undefined> => undefined;
  const cluster: ClusterApi = {
    get: none,
    list: async (): Promise<readonly KubeObject[]> => [],
    create: async () => true,
    patch: none,
    replace: none,
    delete: none,
    deleteAll: none,
    podLog: async () => '',
    ...options.cluster,
  };
  const failure = await runInstaller(
    {
      settings: parseInstallFlags(
        [
          ...[
            '--cluster-id',
            CLUSTER_ID,
            '--infra-env-id',
            'ie',
            '--host-id',
            HOST_ID,
            '--url',
            'http://192.0.2.1:8090',
          ],
          ...[
            '--boot-device',
            '/dev/disk/by-id/wwn-1',
            '--agent-image',
            'quay.io/agent:1',
            '--mco-image',
            'quay.io/mco:1',
          ],
          ...['--controller-image', 'quay.io/controller:1', ...(options.flags ?? [])],
        ],
        { PULL_SECRET_TOKEN: 'token' },
      ),
      host,
      api,
      openCluster: () => cluster,
      fetchConfig: options.fetchConfig ?? (() => Promise.reject(new Error('no answer'))),
      timer: { sleep: () => setImmediate() },
      newId: () => 'id',
      observe: (entry) => {
        if (entry.type === 'note') notes.push(entry.text);
        if (entry.type === 'phase') phases.push(entry.phase);
      },
    },
    options.signal ?? new AbortController().signal,
  ).then(
    () => undefined,
    (error: Error) => error.message,
  );
  return { commands, limited, environments, stages, notes, phases, files, failure };
}
