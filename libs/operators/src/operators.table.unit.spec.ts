import { existsSync, readFileSync } from 'node:fs';
import { parse, parseAllDocuments } from 'yaml';
import { OPERATOR_NAMES, OPERATOR_SETTINGS, operatorNamed, OPERATORS } from './operators.table';
import { type Release, shapeOf } from './plugin/operator-facts';
import type { OperatorPlugin } from './plugin/operator-plugin';
import { faultOfSetting } from './plugin/operator-settings';
import {
  cluster,
  disks,
  GIB,
  host,
  hosts,
  statusOfCluster,
  statusOfHost,
  unseen,
} from './plugin/sample-subjects.fixture.spec';
import { bundlesOf, withDependencies } from './selection/choose-operators';
import { operatorManifests } from './selection/operator-manifests';

const PLUGINS: readonly OperatorPlugin[] = OPERATORS;
const CONTRACT = `${__dirname}/../../../../shared/upstream/swagger.yaml`;
const hasContract = existsSync(CONTRACT);
const withContract = hasContract ? it : it.skip;
const KINDS = [{ isSingleNode: true }, { isSingleNode: false }];
/** Namespace and subscription that a controller watches, and the timeout. */
const INSTALLED: Readonly<Record<string, readonly [string, string, number]>> = {
  lso: ['openshift-local-storage', 'local-storage-operator', 4200],
  odf: ['openshift-storage', 'odf-operator', 1800],
  cnv: ['openshift-cnv', 'hco-operatorhub', 3600],
  lvm: ['openshift-storage', 'lvms-operator', 1800],
  mce: ['multicluster-engine', 'multicluster-engine', 3600],
  mtv: ['openshift-mtv', 'mtv-operator', 3600],
  osc: ['openshift-sandboxed-containers-operator', 'sandboxed-containers-operator', 3600],
  'node-feature-discovery': ['openshift-nfd', 'nfd', 1800],
  'nvidia-gpu': ['nvidia-gpu-operator', 'gpu-operator-certified', 1800],
  pipelines: ['openshift-operators', 'openshift-pipelines-operator-rh', 1800],
  servicemesh: ['openshift-operators', 'servicemeshoperator', 1800],
  serverless: ['openshift-serverless', 'serverless-operator', 1800],
  'openshift-ai': ['redhat-ods-operator', 'rhods-operator', 1800],
  authorino: ['openshift-operators', 'authorino-operator', 1800],
  nmstate: ['openshift-nmstate', 'kubernetes-nmstate-operator', 3600],
  'amd-gpu': ['kube-amd-gpu', 'amd-gpu-operator', 1800],
  kmm: ['openshift-kmm', 'kernel-module-management', 1800],
  'node-healthcheck': ['openshift-workload-availability', 'node-healthcheck-operator', 1800],
  'self-node-remediation': ['openshift-workload-availability', 'self-node-remediation', 1800],
  'fence-agents-remediation': ['openshift-workload-availability', 'fence-agents-remediation', 1800],
  'node-maintenance': ['openshift-workload-maintenance', 'node-maintenance-operator', 1800],
  'kube-descheduler': ['openshift-kube-descheduler-operator', 'cluster-kube-descheduler-operator', 1800],
  'cluster-observability': ['openshift-cluster-observability-operator', 'cluster-observability-operator', 1800],
  numaresources: ['openshift-numaresources', 'numaresources-operator', 1800],
  oadp: ['openshift-adp', 'redhat-oadp-operator', 1800],
  metallb: ['metallb-system', 'metallb-operator', 1800],
  loki: ['openshift-operators-redhat', 'loki-operator', 1800],
  'openshift-logging': ['openshift-logging', 'cluster-logging', 1800],
};

describe('operators table', () => {
  it('has unique names, former names, features and files', () => {
    const once = (texts: readonly string[]) => expect(new Set(texts).size).toBe(texts.length);
    once(PLUGINS.flatMap(({ name, aliases = [] }) => [name, ...aliases]));
    once(PLUGINS.map(({ featureId }) => featureId));
    once(PLUGINS.flatMap((plugin) => plugin.manifests(cluster()).map(({ fileName }) => fileName)));
    expect(operatorNamed('ocs')?.name).toBe('odf');
    expect(operatorNamed('toString')).toBeUndefined();
  });

  withContract(
    `has the operators and features of the v2 API${hasContract ? '' : ' (skipped: the contract document is not on this machine)'}`,
    () => {
      const { definitions, paths } = parse(readFileSync(CONTRACT, 'utf8')) as {
        definitions: Record<string, { enum: string[] }>;
        paths: Record<string, { get: { responses: { '200': { schema: { items: { enum: string[] } } } } } }>;
      };
      const listed = paths['/v2/supported-operators']?.get.responses['200'].schema.items.enum ?? [];
      // The list in the v2 API document is an example with a former name. assisted-service v2 and its console use
      // numaresources.
      const present = listed.map((name) => (name === 'numa-resources' ? 'numaresources' : name));
      expect([...OPERATOR_NAMES].sort()).toEqual(present.sort());
      expect(definitions['feature-support-level-id']?.enum).toEqual(
        expect.arrayContaining(PLUGINS.map(({ featureId }) => featureId)),
      );
    },
  );

  it('contains the namespace, subscription and timeout of each operator', () => {
    const said = PLUGINS.map((plugin) => {
      const { namespace, subscriptionName } = plugin.installation(cluster());
      return [plugin.name, [namespace, subscriptionName, plugin.timeoutSeconds]];
    });
    expect(Object.fromEntries(said)).toMatchObject(INSTALLED);
  });

  it.each(KINDS)('has dependencies that exist and have no cycle, %j', (kind) => {
    const reach = (name: string, path: readonly string[]): void => {
      expect(path).not.toContain(name);
      const plugin = operatorNamed(name);
      expect(plugin?.name).toBe(name);
      for (const next of plugin?.dependencies(kind) ?? []) reach(next, [...path, name]);
    };
    for (const name of OPERATOR_NAMES) reach(name, []);
  });

  it.each(KINDS)('has bundles without members that other members require, %j', (kind) => {
    for (const bundle of bundlesOf(kind)) {
      const all: readonly string[] = [...bundle.operators, ...bundle.optionalOperators];
      const brought = withDependencies(bundle.operators, kind).filter((name) => !all.includes(name));
      expect(brought.filter((name) => name !== 'lso')).toEqual([]);
    }
  });

  it('has unique settings with valid defaults', () => {
    expect(new Set(OPERATOR_SETTINGS.map(({ variable }) => variable)).size).toBe(OPERATOR_SETTINGS.length);
    for (const setting of OPERATOR_SETTINGS.filter(({ standard }) => standard !== ''))
      expect([setting.variable, faultOfSetting(setting, setting.standard)]).toEqual([setting.variable, undefined]);
    const [first] = OPERATOR_SETTINGS.filter(({ kind }) => kind === 'whole');
    expect(first && faultOfSetting(first, 'many')).toMatch(/number/);
  });
});

describe('operators that check release and architecture', () => {
  const fresh = (name: string) => {
    const plugin = operatorNamed(name);
    if (!plugin) throw new Error(`There is no operator ${name}.`);
    return (release: Release, cpuArchitecture = 'x86_64') => statusOfCluster(plugin, [], { release, cpuArchitecture });
  };

  it.each([
    ['mtv', [4, 13, 9], [4, 14, 0]],
    ['osc', [4, 9, 9], [4, 10, 0]],
    ['nmstate', [4, 11, 9], [4, 12, 0]],
    ['loki', [4, 16, 9], [4, 17, 0]],
    ['openshift-logging', [4, 16, 9], [4, 17, 0]],
  ] as const)('%s refuses %j and accepts %j', (name, before, since) => {
    expect([fresh(name)(before), fresh(name)(since)]).toEqual(['failure', 'success']);
  });

  it.each(['mtv', 'osc', 'nmstate'])('%s accepts x86_64 only', (name) => {
    const on = (architecture: string) => fresh(name)([4, 18, 0], architecture);
    expect(['x86_64', 'arm64', 'aarch64', 's390x', 'ppc64le', 'multi', ''].map(on)).toEqual([
      'success',
      'failure',
      'failure',
      'failure',
      'failure',
      'success',
      'success',
    ]);
  });

  it.each(['mtv', 'osc'])('%s requires 1 core and 1 GiB, except on an arbiter', (name) => {
    const plugin = operatorNamed(name);
    if (!plugin) throw new Error(`There is no operator ${name}.`);
    const status = (role: string, usableMemoryBytes: number) =>
      statusOfHost(plugin, host(role, { usableMemoryBytes, cpuCount: 1 }), cluster());
    expect([status('worker', GIB), status('worker', GIB - 1), status('arbiter', 0)]).toEqual([
      'success',
      'failure',
      'success',
    ]);
    expect(statusOfHost(plugin, unseen('worker'), cluster())).toBe('pending');
    expect(plugin.resources?.(host('worker'), cluster())).toEqual({ cpuCores: 1, ramMib: 1024 });
  });

  it('other operators have no requirements', () => {
    const silent = PLUGINS.filter((plugin) => !plugin.host && !plugin.cluster).map(({ name }) => name);
    expect(silent).toEqual(
      expect.arrayContaining([
        'authorino',
        'cluster-observability',
        'fence-agents-remediation',
        'kube-descheduler',
        'lso',
        'metallb',
        'node-feature-discovery',
        'node-healthcheck',
        'node-maintenance',
        'numaresources',
        'oadp',
        'pipelines',
        'self-node-remediation',
        'serverless',
        'servicemesh',
      ]),
    );
  });
});

const documentsOf = (content: string): unknown[] =>
  parseAllDocuments(content).map((document): unknown => document.toJS());

describe('manifests of operators', () => {
  const all = cluster({ operators: OPERATOR_NAMES, shape: shapeOf(hosts('master', 'master', 'master')) });
  const { files, later } = operatorManifests([host('master', { disks: disks(30) })], all);

  it.each(files)('file $fileName is an object with a kind and a name', ({ folder, fileName, content }) => {
    expect(folder).toBe('openshift');
    expect(fileName).toMatch(/^[0-9]{2}_[a-z0-9_-]+\.yaml$/);
    expect(parse(content)).toMatchObject({
      apiVersion: expect.any(String),
      kind: expect.any(String),
      metadata: { name: expect.any(String) },
    });
  });

  it.each(PLUGINS.map((plugin) => [plugin.name, plugin] as const))(
    '%s has a subscription in the watched namespace',
    (_name, plugin) => {
      const { namespace, subscriptionName } = plugin.installation(all);
      const objects = plugin.manifests(all).map(({ object }) => object);
      expect(objects.filter(({ kind }) => kind === 'Subscription')).toEqual([
        expect.objectContaining({ metadata: { name: subscriptionName, namespace } }),
      ]);
      const group = PLUGINS.filter((other) => other.installation(all).namespace === namespace).flatMap((other) =>
        other.manifests(all).filter(({ object }) => object['kind'] === 'OperatorGroup'),
      );
      // Every cluster has an operator group in openshift-operators. Two groups in one namespace would stop both.
      expect(group.length === 1 || namespace === 'openshift-operators' || namespace === 'openshift-storage').toBe(true);
    },
  );

  it('contain the data of a controller without a service: each object to apply, and where to watch', () => {
    const notes = files.find(({ fileName }) => fileName.startsWith('99_'));
    const { data } = parse(notes?.content ?? '') as { data: Record<string, string> };
    const objectIn = (file: string): unknown => parse(Buffer.from(data[file] ?? '', 'base64').toString());
    const operators = new Set(later.map(({ operator }) => operator));
    for (const name of operators) {
      const { namespace, subscriptionName, manifests } = JSON.parse(data[`${name}.metadata.yaml`] ?? '') as {
        namespace: string;
        subscriptionName: string;
        manifests: string[];
      };
      expect(operatorNamed(name)?.installation(all)).toEqual({ namespace, subscriptionName });
      expect(manifests).toEqual(manifests.map((_file, index) => `${name}-0${index + 1}.yaml`));
      const documents = later
        .filter(({ operator }) => operator === name)
        .flatMap(({ content }) => documentsOf(content));
      expect(manifests.map(objectIn)).toEqual(documents);
    }
    expect(Object.keys(data)).toHaveLength(
      operators.size + later.flatMap(({ content }) => documentsOf(content)).length,
    );
  });

  it.each([
    [['kube-descheduler'], [4, 20, 0], 'Predictive', 'AffinityAndTaints', 0],
    [['kube-descheduler', 'cnv'], [4, 20, 0], 'Automatic', 'KubeVirtRelieveAndMigrate', 2],
    [['kube-descheduler', 'cnv'], [4, 19, 0], 'Automatic', 'DevKubeVirtRelieveAndMigrate', 2],
    [['kube-descheduler', 'cnv'], [4, 18, 0], 'Automatic', 'DevKubeVirtRelieveAndMigrate', 2],
    [['kube-descheduler', 'cnv'], [4, 17, 0], 'Automatic', 'LongLifecycle', 0],
    [['kube-descheduler', 'cnv'], [4, 16, 9], 'Automatic', 'DevPreviewLongLifecycle', 0],
  ] as const)(
    'of %j in %j deschedule in mode %s with the profile %s, with psi=1 in %d pools',
    (operators, release, mode, profile, pools) => {
      const chosen = operatorManifests([], cluster({ operators, release }));
      const content = chosen.later.find(({ operator }) => operator === 'kube-descheduler')?.content ?? '';
      expect(documentsOf(content)).toMatchObject([{ spec: { mode, profiles: expect.arrayContaining([profile]) } }]);
      expect(chosen.files.filter(({ content: text }) => text.includes('psi=1'))).toHaveLength(pools);
    },
  );

  it('are empty without operators', () => {
    expect(operatorManifests([], cluster())).toEqual({ files: [], later: [] });
  });
});

describe('the settings of all operators', () => {
  it('have the names and defaults of assisted-service v2', () => {
    expect(Object.fromEntries(OPERATOR_SETTINGS.map(({ variable, standard }) => [variable, standard]))).toEqual({
      AMD_REQUIRE_GPU: 'true',
      AMD_SUPPORTED_GPUS: '1002',
      CNV_MODE: 'true',
      CNV_SNO_INSTALL_HPP: 'true',
      CNV_SUPPORTED_GPUS: '10de:1db6,10de:1eb8',
      CNV_SUPPORTED_SRIOV_NICS: '8086:158b,15b3:1015,15b3:1017,15b3:1013,15b3:101b',
      LVM_CPU_PER_HOST: '1',
      LVM_MEMORY_PER_HOST_MIB: '',
      MCE_MIN_OPENSHIFT_VERSION: '4.10.0',
      NVIDIA_REQUIRE_GPU: 'true',
      NVIDIA_SUPPORTED_GPUS: '10de',
      ODF_MIN_DISK_SIZE_GB: '25',
      ODF_NUM_MINIMUM_DISK: '3',
      ODF_PER_DISK_CPU_COUNT: '2',
      ODF_PER_DISK_RAM_GIB: '5',
      ODF_PER_HOST_CPU_COMPACT_MODE: '6',
      ODF_PER_HOST_CPU_STANDARD_MODE: '8',
      ODF_PER_HOST_MEMORY_GIB_COMPACT_MODE: '19',
      ODF_PER_HOST_MEMORY_GIB_STANDARD_MODE: '19',
      OPENSHIFT_AI_MIN_WORKER_CPU_CORES: '8',
      OPENSHIFT_AI_MIN_WORKER_MEMORY_GIB: '32',
      OPENSHIFT_AI_MIN_WORKER_NODES: '2',
    });
  });
});
