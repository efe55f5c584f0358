import { type HttpRefused, type InstallationResult, KUBE_RESOURCES, type ServiceApi } from '@muster/host-api';
import type { ClusterApi, KubeObject, KubeResource } from '@muster/ports';
import type { ControllerHost } from './controller';
import { controllerWith, refusal } from './controller.fixture.spec';
import { finalize } from './finalize';
import { applyOlmManifests } from './operators';

describe('the manifests of operators', () => {
  /** Applies manifests whose download ends with one error after the other, and then with an empty list. */
  const applyAfter = async (...errors: HttpRefused[]) => {
    const { controller, notes, signal } = controllerWith(
      new Map(),
      {
        cluster: async () => ({ status: 'finalizing' }),
        clusterFile: async () => {
          const error = errors.shift();
          if (error) throw error;
          return Buffer.from('null');
        },
      },
      { rounds: 5 },
    );
    await applyOlmManifests(controller, [], signal);
    return { notes, remaining: errors.length };
  };

  it('are not applied when the service has none', async () => {
    expect(await applyAfter(refusal(404), refusal(500))).toEqual({ notes: [], remaining: 1 });
  });

  it('are downloaded again after an error', async () => {
    const { notes, remaining } = await applyAfter(refusal(500, 'broken'), refusal(403, 'not yours'));
    expect(remaining).toBe(0);
    expect(notes).toEqual([expect.stringContaining('broken'), expect.stringContaining('not yours')]);
  });
});

describe('an installation whose cluster operators do not become available', () => {
  afterEach(() => jest.restoreAllMocks());

  const operator = (name: string, type: string, message: string): KubeObject => ({
    metadata: { name },
    status: { conditions: [{ type, status: 'True', message }] },
  });
  type AtTimeLimit = { readonly limit: AbortSignal; readonly operators: ServiceApi['operators'] };
  const CERTIFICATE: KubeObject = { metadata: { name: 'default-ingress-cert' }, data: { 'ca-bundle.crt': 'PEM' } };
  const complete = async (
    list: ClusterApi['list'],
    maps: readonly KubeObject[] = [CERTIFICATE],
    { limit = AbortSignal.abort(), operators = async () => [] }: Partial<AtTimeLimit> = {},
  ) => {
    jest.spyOn(AbortSignal, 'timeout').mockReturnValue(limit);
    const results: InstallationResult[] = [];
    const sent: string[] = [];
    const stages: string[] = [];
    const { controller, notes, signal } = controllerWith(
      new Map<KubeResource, readonly KubeObject[]>([[KUBE_RESOURCES.configMaps, maps]]),
      {
        cluster: async () => ({ status: 'finalizing' }),
        completeInstallation: async (_cluster, result) => void results.push(result),
        operators,
        reportFinalizingStage: async (_cluster, stage) => void stages.push(stage),
        uploadIngressCa: async (_cluster, pem) => void sent.push(pem),
      },
      { list, rounds: 2 },
    );
    await finalize(controller, signal);
    expect(stages).toEqual(['Waiting for cluster operators']);
    return { notes, results, sent };
  };
  const FAILED = { isSuccess: false, errorInfo: 'Timeout while waiting for cluster operators to be available' };

  it('is reported with the status of all cluster operators', async () => {
    const found = [operator('dns', 'Degraded', 'no answer'), operator('etcd', 'Available', 'ready')];
    const { results, sent } = await complete(async (resource) =>
      resource === KUBE_RESOURCES.clusterOperators ? found : [],
    );
    const report = [
      { name: 'dns', status: 'failed', status_info: 'no answer' },
      { name: 'etcd', status: 'available', status_info: 'ready' },
    ];
    expect(results).toEqual([{ ...FAILED, data: { CLUSTER_OPERATORS_REPORT: report } }]);
    expect(sent).toEqual(['PEM']);
  });

  it('is reported although the cluster has no ingress, and therefore no ingress certificate', async () => {
    const { notes, results, sent } = await complete(async () => [], []);
    expect(results).toEqual([{ ...FAILED, data: { CLUSTER_OPERATORS_REPORT: [] } }]);
    expect({ notes, sent }).toEqual({ notes: [], sent: [] });
  });

  it('is reported when the service does not answer at the time limit', async () => {
    const limit = new AbortController();
    const operators = async (): Promise<never> => {
      limit.abort();
      throw new Error('no answer');
    };
    const { results } = await complete(async () => [], [CERTIFICATE], { limit: limit.signal, operators });
    expect(results).toEqual([{ ...FAILED, data: { CLUSTER_OPERATORS_REPORT: [] } }]);
  });

  it('is reported without them when the cluster API does not answer', async () => {
    const { notes, results } = await complete(async () => {
      throw new Error('no answer');
    });
    expect(results).toEqual([FAILED]);
    expect(notes).toEqual(['The cluster operators were not listed: no answer']);
  });
});

it.each([
  ['finalizing', ['Done']],
  ['error', ['Applying olm manifests', 'Waiting for olm operators csv', 'Done']],
])('a restarted controller of a cluster in %s reports no earlier stage again', async (status, expected) => {
  const reached = expected.length > 1 ? 'Applying olm manifests' : 'Waiting for olm operators csv';
  const progress = { finalizing_stage: reached };
  const stages: string[] = [];
  const map: KubeObject = { metadata: { name: 'default-ingress-cert' }, data: { 'ca-bundle.crt': 'PEM' } };
  const { controller, signal } = controllerWith(
    new Map<KubeResource, readonly KubeObject[]>([[KUBE_RESOURCES.configMaps, [map]]]),
    {
      cluster: async () => ({ status, progress: { ...progress, finalizing_stage_timed_out: true } }),
      completeInstallation: async () => undefined,
      operators: async () => [{ name: 'lso', operator_type: 'olm', status: 'available' }],
      reportFinalizingStage: async (_cluster, stage) => void stages.push((progress.finalizing_stage = stage)),
      uploadIngressCa: async () => undefined,
    },
  );
  await finalize(controller, signal);
  expect(stages).toEqual(expected);
});

describe('operators', () => {
  const named = (name: string) => ({ name, operator_type: 'olm', namespace: 'n', subscription_name: name });
  const objects = new Map<KubeResource, readonly KubeObject[]>([
    [KUBE_RESOURCES.configMaps, [{ metadata: { name: 'default-ingress-cert' }, data: { 'ca-bundle.crt': 'PEM' } }]],
    [
      KUBE_RESOURCES.subscriptions,
      ['lso', 'mce'].map((name) => ({ metadata: { name }, status: { installedCSV: `${name}.v1` } })),
    ],
    [
      KUBE_RESOURCES.clusterServiceVersions,
      ['lso', 'mce'].map((name) => ({ metadata: { name: `${name}.v1` }, status: { phase: 'Succeeded' } })),
    ],
  ]);
  const OK = { exitCode: 0, output: '' };
  /**
   * Returns the reports and the commands of an installation with the given operators, and one manifest for each entry of
   * `manifests`. `oc` gets the texts of the applied manifests, the last at the end. The service lets the stages that
   * wait for the operators time out after one more round.
   */
  const finalizeWith = async (
    operators: readonly string[],
    manifests: readonly (readonly [name: string, text: string])[],
    oc: (applied: readonly string[]) => { readonly exitCode: number; readonly output: string },
    credentials: () => Buffer = () => Buffer.from('kubeconfig'),
  ) => {
    const applied: string[] = [];
    const files = new Map<string, string>();
    const reports = new Map<string, string>();
    const stages: string[] = [];
    let roundsOfStage = 0;
    const { controller, notes, signal } = controllerWith(
      objects,
      {
        cluster: async () => ({ status: 'finalizing', progress: { finalizing_stage_timed_out: ++roundsOfStage > 3 } }),
        clusterFile: async () =>
          Buffer.from(
            JSON.stringify(manifests.map(([Name, text]) => ({ Name, Content: Buffer.from(text).toString('base64') }))),
          ),
        completeInstallation: async () => undefined,
        credentials: async () => credentials(),
        operators: async () =>
          operators.map((name) => ({ ...named(name), status: reports.get(name)?.split(':')[0] ?? 'progressing' })),
        reportFinalizingStage: async (_cluster, stage) => {
          stages.push(stage);
          roundsOfStage = 0;
        },
        reportOperator: async (_cluster, { name, status, status_info }) =>
          void reports.set(name, `${status}: ${status_info}`),
        uploadIngressCa: async () => undefined,
      },
      { rounds: 40 },
    );
    const host: ControllerHost = {
      ...controller.host,
      writeTemporary: async (name, content) => {
        files.set(`/folder/${name}`, content.toString());
        return `/folder/${name}`;
      },
      oc: async (args) => {
        expect(args.slice(0, 3)).toEqual(['--kubeconfig=/folder/kubeconfig', 'apply', '-f']);
        applied.push(files.get(args[3] ?? '') ?? '');
        return oc(applied);
      },
    };
    await finalize({ ...controller, host }, signal);
    expect(stages.at(-1)).toBe('Done');
    return { applied, notes, reports: Object.fromEntries(reports) };
  };
  const failed = (reason: string) => `failed: The manifests of the operator were not applied: ${reason}`;

  it('are available when their manifests are applied', async () => {
    const manifests = [['lso', 'volumes'] as const, ['mce', 'engine'] as const];
    const { applied, notes, reports } = await finalizeWith(['lso', 'mce'], manifests, () => OK);
    expect(applied).toEqual(['volumes', 'engine']);
    expect(notes).toEqual([]);
    expect(reports).toEqual({ lso: 'available: ', mce: 'available: ' });
  });

  it('are failed when their manifests are not applied, because they are not configured', async () => {
    const missing = { exitCode: 127, output: 'oc: command not found' };
    const { applied, notes, reports } = await finalizeWith(['lso', 'mce'], [['lso', 'volumes']], () => missing);
    expect(applied).toEqual(['volumes', 'volumes', 'volumes']);
    expect(notes).toContain('A manifest of lso was not applied: oc: command not found');
    expect(reports).toEqual({ lso: failed('oc: command not found'), mce: 'available: ' });
  });

  it('are failed with a text that the service accepts when their output is cut within a character', async () => {
    const refused = { exitCode: 1, output: `${'\u{1f4be}'.repeat(300)}.` };
    const { reports } = await finalizeWith(['lso'], [['lso', 'volumes']], () => refused);
    expect(reports['lso']).toMatch(/^failed: .*\u{1f4be}\.$/u);
    expect(reports['lso']?.isWellFormed()).toBe(true);
  });

  it('are configured when a manifest of another operator cannot be applied', async () => {
    const manifests = [['lso', 'refused'] as const, ['mce', 'engine'] as const];
    const { applied, reports } = await finalizeWith(['lso', 'mce'], manifests, (texts) =>
      texts.at(-1) === 'refused' ? { exitCode: 1, output: 'unknown field' } : OK,
    );
    expect(applied).toEqual(['refused', 'engine', 'refused', 'refused']);
    expect(reports).toEqual({ lso: failed('unknown field'), mce: 'available: ' });
  });

  it('are available when a manifest is applied in a later round', async () => {
    const manifests = [['mce', 'agents'] as const, ['mce', 'engine'] as const];
    const { applied, reports } = await finalizeWith(['mce'], manifests, (texts) =>
      texts.at(-1) === 'agents' && !texts.includes('engine') ? { exitCode: 1, output: 'no matches for kind' } : OK,
    );
    expect(applied).toEqual(['agents', 'engine', 'agents']);
    expect(reports).toEqual({ mce: 'available: ' });
  });

  it('are not configured before their ClusterServiceVersion is installed', async () => {
    const manifests = [['odf', 'storage'] as const, ['lso', 'volumes'] as const];
    const { applied, reports } = await finalizeWith(['odf', 'lso'], manifests, () => OK);
    expect(applied).toEqual(['volumes']);
    expect(reports).toEqual({ odf: 'failed: Waiting for operator timed out', lso: 'available: ' });
  });

  it('with manifests are failed when the credentials cannot be downloaded', async () => {
    const refuse = (): Buffer => {
      throw refusal(503, 'unavailable');
    };
    const { applied, reports } = await finalizeWith(['lso', 'mce'], [['lso', 'volumes']], () => OK, refuse);
    expect(applied).toEqual([]);
    expect(reports).toEqual({ lso: expect.stringMatching(/^failed: .*unavailable/), mce: 'available: ' });
  });
});
