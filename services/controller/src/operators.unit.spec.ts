import { type HttpRefused, KUBE_RESOURCES } from '@muster/host-api';
import type { KubeObject, KubeResource } from '@muster/ports';
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
    await applyOlmManifests(controller, signal);
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

describe('an operator whose ClusterServiceVersion is installed', () => {
  const LSO = { name: 'lso', operator_type: 'olm', status: 'progressing', namespace: 'n', subscription_name: 'lso' };
  const objects = new Map<KubeResource, readonly KubeObject[]>([
    [KUBE_RESOURCES.configMaps, [{ metadata: { name: 'default-ingress-cert' }, data: { 'ca-bundle.crt': 'PEM' } }]],
    [KUBE_RESOURCES.subscriptions, [{ metadata: { name: 'lso' }, status: { installedCSV: 'lso.v1' } }]],
    [KUBE_RESOURCES.clusterServiceVersions, [{ metadata: { name: 'lso.v1' }, status: { phase: 'Succeeded' } }]],
  ]);
  /** Returns the reports and the commands of an installation. The service lets a stage time out after three commands. */
  const finalizeWith = async (oc: ControllerHost['oc']) => {
    const commands: string[] = [];
    const reports: string[] = [];
    const manifest = { Name: 'volumes', Content: Buffer.from('kind: LocalVolumeSet\n').toString('base64') };
    const stages: string[] = [];
    const { controller, notes, signal } = controllerWith(
      objects,
      {
        cluster: async () => ({
          status: 'finalizing',
          progress: { finalizing_stage_timed_out: stages.at(-1) === 'Applying olm manifests' && commands.length >= 3 },
        }),
        clusterFile: async () => Buffer.from(JSON.stringify([manifest])),
        completeInstallation: async () => undefined,
        credentials: async () => Buffer.from('kubeconfig'),
        operators: async () => [{ ...LSO, ...(reports.length > 0 && { status: reports.at(-1)?.split(':')[0] ?? '' }) }],
        reportFinalizingStage: async (_cluster, stage) => void stages.push(stage),
        reportOperator: async (_cluster, { status, status_info }) => void reports.push(`${status}: ${status_info}`),
        uploadIngressCa: async () => undefined,
      },
      { rounds: 20 },
    );
    const host: ControllerHost = {
      ...controller.host,
      writeTemporary: async (name) => `/folder/${name}`,
      oc: (args, stop) => {
        commands.push(args.join(' '));
        return oc(args, stop);
      },
    };
    await finalize({ ...controller, host }, signal);
    return { commands, notes, reports, stages };
  };
  const COMMAND = '--kubeconfig=/folder/kubeconfig apply -f /folder/volumes.yaml';

  it('is available when its manifests are applied', async () => {
    const { commands, notes, reports, stages } = await finalizeWith(async () => ({ exitCode: 0, output: '' }));
    expect(commands).toEqual([COMMAND]);
    expect(notes).toEqual([]);
    expect(reports).toEqual(['available: ']);
    expect(stages.at(-1)).toBe('Done');
  });

  it('is failed when its manifests are not applied, because it is not configured', async () => {
    const missing = { exitCode: 127, output: 'oc: command not found' };
    const { commands, notes, reports, stages } = await finalizeWith(async () => missing);
    expect(commands).toEqual([COMMAND, COMMAND, COMMAND]);
    expect(notes).toContain('Applying the manifests of the operators failed: volumes: oc: command not found');
    expect(reports).toEqual([
      'failed: The manifests of the operators were not applied: volumes: oc: command not found',
    ]);
    expect(stages.at(-1)).toBe('Done');
  });
});
